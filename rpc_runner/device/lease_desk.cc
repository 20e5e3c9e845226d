#include "rpc_runner/device/lease_desk.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"

namespace hone {
namespace {

constexpr size_t kMostWaiting = 8;
constexpr size_t kMostDone = 64;
constexpr size_t kMostDoneBytes = size_t{64} << 20;  // of outputs of results that are kept
constexpr size_t kMostDoubted = 16'384;
constexpr int kQuietBeats = 5;  // heartbeats until a piece counts as lost on the way

size_t ResultBytes(const Frame& result) {
  size_t bytes = 0;
  for (const std::string& part : result.parts) bytes += part.size();
  return bytes;
}

int64_t BlobBytes(const PackageJob& job) {
  return (job.params ? job.params->size_bytes : 0) + (job.inputs ? job.inputs->size_bytes : 0);
}

}  // namespace

void LeaseDesk::Begin(const std::string& lease) {
  lease_ = lease;
  waiting_.clear();
  running_.clear();
  done_.clear();
  unproved_.clear();
  doubted_.clear();
  doubt_.clear();
  asked_to_look_ = looked_ = false;
  blobs_.ForgetPartial();
}

bool LeaseDesk::Looked(const std::string& why) {
  looked_ = asked_to_look_;
  asked_to_look_ = false;
  if (why.empty()) {
    doubted_.clear();
  } else {
    doubted_.insert(doubted_.end(), unproved_.begin(), unproved_.end());
    while (doubted_.size() > kMostDoubted) doubted_.pop_front();
  }
  doubt_ = why;
  const bool news = looked_ || (!why.empty() && !unproved_.empty());
  unproved_.clear();
  return news;
}

Frame LeaseDesk::Beat(FrameKind kind) {
  Frame beat{kind, Json::object(), {}};
  if (!doubted_.empty()) beat.header = {{"doubted", doubted_}, {"why", doubt_}};
  if (std::exchange(looked_, false)) beat.header["looked"] = true;
  return beat;
}

std::vector<Frame> LeaseDesk::Handle(const Frame& frame, bool* for_us) {
  *for_us = !lease_.empty() && frame.lease == lease_;
  std::vector<Frame> answers;
  if (*for_us) {
    answers = Answers(frame);
  } else if (frame.kind == FrameKind::kHeartbeat) {
    answers.push_back({FrameKind::kLeaseEnd, Json::object(), {}});
  } else {
    answers.push_back(JobErrorFrame("no_lease", "this runner is not under that lease", frame.header));
  }
  for (Frame& answer : answers) answer.lease = frame.lease;
  return answers;
}

std::vector<Frame> LeaseDesk::Answers(const Frame& frame) {
  if (frame.kind == FrameKind::kJob) return OnJob(frame);
  if (frame.kind == FrameKind::kHeartbeat) return OnBeat(frame.header);
  if (frame.kind == FrameKind::kBlob && IsPiece(frame)) return OnPiece(PieceFromFrame(frame));
  if (frame.kind == FrameKind::kBlob) {
    std::string sha256;
    std::string bytes = BlobFromFrame(frame, &sha256);
    references_.Insert(sha256, std::move(bytes));
    return {};
  }
  throw Error(ExitCode::kBadData, "bad frame: a runner does not take messages of this kind");
}

// A null `attempt` matches any attempt.
bool LeaseDesk::Knows(JobId id, const uint32_t* attempt) const {
  const auto same = [&](JobId other, uint32_t other_attempt) {
    return other == id && (!attempt || other_attempt == *attempt);
  };
  return std::any_of(running_.begin(), running_.end(), [&](const Key& key) { return same(key.first, key.second); }) ||
         std::any_of(waiting_.begin(), waiting_.end(),
                     [&](const JobMessage& job) { return same(job.id, job.attempt); });
}

bool LeaseDesk::Lacks(const JobMessage& job) {
  if (job.package) return FirstMissing(*job.package) != nullptr;
  return references_.Find(job.reference_sha256) == nullptr;
}

// Gives the job its own references to its blobs, since later blobs may push them out of the cache. Throws
// Error(kBadData).
void LeaseDesk::GiveBlobs(JobMessage& job) {
  for (std::optional<Blob>* blob : {&job.package->params, &job.package->inputs}) {
    if (!*blob || !(*blob)->is_missing()) continue;
    const std::shared_ptr<SharedRegion> region = blobs_.Find((*blob)->sha256);
    if (region == nullptr) continue;
    if (region->size_bytes() != (*blob)->size_bytes) {
      throw Error(ExitCode::kBadData, fmt::format("the blob {} has {} bytes, and the job says {}", (*blob)->sha256,
                                                  region->size_bytes(), (*blob)->size_bytes));
    }
    (*blob)->data = std::shared_ptr<const char>(region, region->data());
  }
}

JobMessage* LeaseDesk::FirstLackingBlobs() {
  const auto job = std::find_if(waiting_.begin(), waiting_.end(),
                                [](const JobMessage& each) { return each.package && FirstMissing(*each.package); });
  return job == waiting_.end() ? nullptr : &*job;
}

// Only one blob travels at a time: two that do not fit into the cache together would evict each other forever.
std::optional<Frame> LeaseDesk::NextNeed() {
  const JobMessage* job = FirstLackingBlobs();
  if (job == nullptr) return std::nullopt;
  const std::string& sha256 = FirstMissing(*job->package)->sha256;
  return NeedPieceFrame(job->id, sha256, blobs_.Come(sha256));
}

std::vector<Frame> LeaseDesk::OnPiece(const BlobPiece& piece) {
  const JobMessage* job = FirstLackingBlobs();
  if (job == nullptr) return {};
  const Blob* wanted = FirstMissing(*job->package);
  if (wanted->sha256 != piece.sha256 || piece.offset_bytes != blobs_.Come(piece.sha256)) return {};
  quiet_beats_ = 0;
  std::vector<Frame> answer;
  try {
    blobs_.Take(piece, wanted->size_bytes);
    for (JobMessage& each : waiting_) {
      job = &each;
      if (each.package) GiveBlobs(each);
    }
  } catch (const std::exception& error) {
    const JobId bad = job->id;
    answer.push_back(JobErrorFrame("unsupported_job", error.what(), {{"job", bad}, {"attempt", job->attempt}}));
    std::erase_if(waiting_, [&](const JobMessage& each) { return each.id == bad; });
  }
  if (std::optional<Frame> need = NextNeed()) answer.push_back(std::move(*need));
  return answer;
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
    return {JobErrorFrame("unsupported_job", error.what(), frame.header)};
  }
  if (const Frame* done = FindDone(job.id, &job.attempt)) return {*done};
  if (Knows(job.id, &job.attempt)) return {};
  if (waiting_.size() >= kMostWaiting) {
    return {JobErrorFrame("busy", fmt::format("{} jobs wait already", waiting_.size()), frame.header)};
  }
  if (job.package) return OnPackage(std::move(job), frame.header);
  if (!job.job.reference.elf.empty()) references_.Insert(job.reference_sha256, job.job.reference.elf);
  std::vector<Frame> answer;
  if (Lacks(job)) answer.push_back(NeedFrame(job.id, job.reference_sha256));
  waiting_.push_back(std::move(job));
  return answer;
}

std::vector<Frame> LeaseDesk::OnPackage(JobMessage job, const Json& header) {
  if (const int64_t bytes = BlobBytes(*job.package); bytes > caps_.package_bytes) {
    return {JobErrorFrame("unsupported_job",
                          fmt::format("its parameters and inputs have {} bytes; this runner takes {} (--max-package)",
                                      bytes, caps_.package_bytes),
                          header)};
  }
  try {
    GiveBlobs(job);
  } catch (const Error& error) {
    return {JobErrorFrame("unsupported_job", error.what(), header)};
  }
  // If an earlier job lacks blobs, it has asked for them already.
  const bool asks = Lacks(job) && FirstLackingBlobs() == nullptr;
  waiting_.push_back(std::move(job));
  if (!asks) return {};
  quiet_beats_ = 0;
  return {*NextNeed()};
}

std::vector<Frame> LeaseDesk::OnBeat(const Json& header) {
  std::vector<Frame> answer;
  if (const auto look = header.find("look"); look != header.end() && *look == true) {
    asked_to_look_ = !unproved_.empty();
    looked_ = unproved_.empty();
    if (looked_) answer.push_back(Beat());
  }
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
  // The blob of a reference may have been lost on the way.
  for (const JobMessage& job : waiting_) {
    if (!job.package && Lacks(job)) answer.push_back(NeedFrame(job.id, job.reference_sha256));
  }
  // Asking again too soon would bring the piece that is on its way twice.
  if (++quiet_beats_ % kQuietBeats == 0) {
    if (std::optional<Frame> need = NextNeed()) answer.push_back(std::move(*need));
  }
  return answer;
}

// Gives back jobs that wait. The client learns about the others from their results.
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

std::optional<Frame> LeaseDesk::Finish(const JobMessage& job, const Measurement& measurement, const JobCost& cost,
                                       std::string outputs) {
  if (job.lease != lease_) return std::nullopt;
  std::erase(running_, Key(job.id, job.attempt));
  done_.emplace_back(Key(job.id, job.attempt),
                     ResultToFrame({job.id, job.attempt, measurement, cost, std::move(outputs)}));
  done_.back().second.lease = lease_;
  // A result that was measured in doubt says so itself.
  if (measurement.environment.health.empty()) unproved_.push_back(job.id);
  if (unproved_.size() > kMostDoubted) unproved_.pop_front();
  size_t bytes = 0;
  for (const auto& [key, frame] : done_) bytes += ResultBytes(frame);
  while (done_.size() > 1 && (done_.size() > kMostDone || bytes > kMostDoneBytes)) {
    bytes -= ResultBytes(done_.front().second);
    done_.pop_front();
  }
  return done_.back().second;
}

}  // namespace hone
