#include "rpc_runner/lease_desk.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"

namespace hone {
namespace {

constexpr size_t kMostWaiting = 8;
constexpr size_t kMostDone = 64;

Frame JobError(const char* code, const std::string& message, const Json& header) {
  Frame frame = ErrorFrame(code, message);
  // Numbers alone: anything else may be as long as a header.
  if (header.contains("job") && header["job"].is_number()) frame.header["job"] = header["job"];
  if (header.contains("attempt") && header["attempt"].is_number()) frame.header["attempt"] = header["attempt"];
  return frame;
}

}  // namespace

void LeaseDesk::Begin(const std::string& lease) {
  lease_ = lease;
  waiting_.clear();
  running_.clear();
  done_.clear();
}

std::vector<Frame> LeaseDesk::Handle(const Frame& frame, bool* for_us) {
  *for_us = !lease_.empty() && frame.lease == lease_;
  std::vector<Frame> answers;
  if (*for_us) {
    answers = Answers(frame);
  } else if (frame.kind == FrameKind::kHeartbeat) {
    answers.push_back({FrameKind::kLeaseEnd, Json::object(), {}});
  } else {
    answers.push_back(JobError("no_lease", "this runner is not under that lease", frame.header));
  }
  for (Frame& answer : answers) answer.lease = frame.lease;
  return answers;
}

std::vector<Frame> LeaseDesk::Answers(const Frame& frame) {
  if (frame.kind == FrameKind::kJob) return OnJob(frame);
  if (frame.kind == FrameKind::kHeartbeat) return OnBeat(frame.header);
  if (frame.kind == FrameKind::kBlob) {
    std::string sha256;
    std::string bytes = BlobFromFrame(frame, &sha256);
    references_.Insert(sha256, std::move(bytes));
    return {};
  }
  throw Error(ExitCode::kBadData, "bad frame: a runner does not take messages of this kind");
}

// attempt null: any.
bool LeaseDesk::Knows(JobId id, const uint32_t* attempt) const {
  const auto same = [&](JobId other, uint32_t other_attempt) {
    return other == id && (!attempt || other_attempt == *attempt);
  };
  return std::any_of(running_.begin(), running_.end(), [&](const Key& key) { return same(key.first, key.second); }) ||
         std::any_of(waiting_.begin(), waiting_.end(),
                     [&](const JobMessage& job) { return same(job.id, job.attempt); });
}

bool LeaseDesk::Lacks(const JobMessage& job) {
  return !job.package && references_.Find(job.reference_sha256) == nullptr;
}

const Frame* LeaseDesk::FindDone(JobId id, const uint32_t* attempt) const {
  for (const auto& [key, frame] : done_) {
    if (key.first == id && (!attempt || key.second == *attempt)) return &frame;
  }
  return nullptr;
}

std::vector<Frame> LeaseDesk::OnJob(const Frame& frame) {
  JobMessage job;
  try {
    job = JobFromFrame(frame);
  } catch (const Error& error) {
    return {JobError("unsupported_job", error.what(), frame.header)};
  }
  if (const Frame* done = FindDone(job.id, &job.attempt)) return {*done};
  if (Knows(job.id, &job.attempt)) return {};
  if (waiting_.size() >= kMostWaiting) {
    return {JobError("busy", fmt::format("{} jobs wait already", waiting_.size()), frame.header)};
  }
  if (!job.job.reference.elf.empty()) references_.Insert(job.reference_sha256, job.job.reference.elf);
  std::vector<Frame> answer;
  if (Lacks(job)) answer.push_back(NeedFrame(job.id, job.reference_sha256));
  waiting_.push_back(std::move(job));
  return answer;
}

std::vector<Frame> LeaseDesk::OnBeat(const Json& header) {
  std::vector<Frame> answer;
  const auto withdraw = header.find("withdraw");
  if (withdraw != header.end() && withdraw->is_array()) answer.push_back(OnWithdraw(*withdraw));
  const auto jobs = header.find("jobs");
  if (jobs == header.end() || !jobs->is_array() || jobs->size() > kMostDone) return answer;
  for (const Json& job : *jobs) {
    if (!job.is_number_unsigned()) continue;
    const JobId id = job.get<JobId>();
    if (const Frame* done = FindDone(id, nullptr)) {
      answer.push_back(*done);
    } else if (!Knows(id, nullptr)) {
      answer.push_back(ErrorFrame("unknown_job", "send it again"));
      answer.back().header["job"] = id;
    }
  }
  // A blob may have been lost too.
  for (const JobMessage& job : waiting_) {
    if (Lacks(job)) answer.push_back(NeedFrame(job.id, job.reference_sha256));
  }
  return answer;
}

// Those that wait are given back; of the others the client learns by their results.
Frame LeaseDesk::OnWithdraw(const Json& jobs) {
  Json withdrawn = Json::array(), kept = Json::array();
  for (const Json& job : jobs) {
    if (!job.is_number_unsigned()) continue;
    const auto waits = [&](const JobMessage& other) { return other.id == job.get<JobId>(); };
    (std::erase_if(waiting_, waits) > 0 ? withdrawn : kept).push_back(job);
  }
  return {FrameKind::kHeartbeat, {{"withdrawn", withdrawn}, {"kept", kept}}, {}};
}

std::optional<JobMessage> LeaseDesk::NextJob() {
  for (auto it = waiting_.begin(); it != waiting_.end(); ++it) {
    if (Lacks(*it)) continue;
    JobMessage job = std::move(*it);
    waiting_.erase(it);
    if (!job.package) job.job.reference.elf = *references_.Find(job.reference_sha256);
    running_.emplace_back(job.id, job.attempt);
    return job;
  }
  return std::nullopt;
}

std::optional<Frame> LeaseDesk::Finish(const JobMessage& job, const Measurement& measurement, const JobCost& cost) {
  if (job.lease != lease_) return std::nullopt;
  std::erase(running_, Key(job.id, job.attempt));
  done_.emplace_back(Key(job.id, job.attempt), ResultToFrame({job.id, job.attempt, measurement, cost}));
  done_.back().second.lease = lease_;
  if (done_.size() > kMostDone) done_.pop_front();
  return done_.back().second;
}

}  // namespace hone
