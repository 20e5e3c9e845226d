#include "rpc_runner/device/lease_server.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"

namespace hone {
namespace {

constexpr size_t kMostWaiting = 8;
constexpr size_t kMostSentResults = 64;
constexpr size_t kMostSentBytes = size_t{64} << 20;  // of outputs of results that are kept
constexpr size_t kMostDoubted = 16'384;
constexpr int kHeartbeatsUntilPieceIsLost = 5;

size_t ResultBytes(const Frame& result) {
  size_t bytes = 0;
  for (const std::string& part : result.parts) bytes += part.size();
  return bytes;
}

int64_t BlobBytes(const JobMessage& job) {
  int64_t bytes = 0;
  for (const Blob* const blob : BlobsOf(job)) bytes += blob->size_bytes;
  return bytes;
}

// Whether it has no reference, but blobs.
bool HasBlobs(const JobMessage& job) { return job.package || job.runtime; }

}  // namespace

void LeaseServer::Begin(const std::string& lease) {
  lease_ = lease;
  waiting_.clear();
  running_.clear();
  sent_results_.clear();
  unverified_.clear();
  doubted_.clear();
  doubt_reason_.clear();
  check_requested_ = check_reported_ = false;
  blobs_.ForgetPartial();
}

bool LeaseServer::OnHealthCheck(const std::string& why) {
  check_reported_ = check_requested_;
  check_requested_ = false;
  if (why.empty()) {
    doubted_.clear();
  } else {
    doubted_.insert(doubted_.end(), unverified_.begin(), unverified_.end());
    while (doubted_.size() > kMostDoubted) doubted_.pop_front();
  }
  doubt_reason_ = why;
  const bool news = check_reported_ || (!why.empty() && !unverified_.empty());
  unverified_.clear();
  return news;
}

Frame LeaseServer::Heartbeat(FrameKind kind) {
  Frame heartbeat{kind, Json::object(), {}};
  if (!doubted_.empty()) heartbeat.header = {{"doubted", doubted_}, {"why", doubt_reason_}};
  if (std::exchange(check_reported_, false)) heartbeat.header["looked"] = true;
  return heartbeat;
}

std::vector<Frame> LeaseServer::Handle(const Frame& frame, bool* for_us) {
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

std::vector<Frame> LeaseServer::Answers(const Frame& frame) {
  if (frame.kind == FrameKind::kJob) return OnJob(frame);
  if (frame.kind == FrameKind::kHeartbeat) return OnHeartbeat(frame.header);
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
bool LeaseServer::IsPending(JobId id, const uint32_t* attempt) const {
  const auto same = [&](JobId other, uint32_t other_attempt) {
    return other == id && (!attempt || other_attempt == *attempt);
  };
  return std::any_of(running_.begin(), running_.end(), [&](const Key& key) { return same(key.first, key.second); }) ||
         std::any_of(waiting_.begin(), waiting_.end(),
                     [&](const JobMessage& job) { return same(job.id, job.attempt); });
}

bool LeaseServer::LacksData(const JobMessage& job) {
  if (HasBlobs(job)) return FirstMissing(job) != nullptr;
  return references_.Find(job.reference_sha256) == nullptr;
}

// Gives the job its own references to its blobs, since later blobs may push them out of the cache. Throws
// Error(kBadData).
void LeaseServer::AttachBlobs(JobMessage& job) {
  for (Blob* const blob : BlobsOf(job)) {
    if (!blob->is_missing()) continue;
    const std::shared_ptr<SharedRegion> region = blobs_.Find(blob->sha256);
    if (region == nullptr) continue;
    if (region->size_bytes() != blob->size_bytes) {
      throw Error(ExitCode::kBadData, fmt::format("the blob {} has {} bytes, and the job says {}", blob->sha256,
                                                  region->size_bytes(), blob->size_bytes));
    }
    blob->data = std::shared_ptr<const char>(region, region->data());
  }
}

JobMessage* LeaseServer::FirstWithoutBlobs() {
  const auto job = std::find_if(waiting_.begin(), waiting_.end(),
                                [](const JobMessage& each) { return FirstMissing(each) != nullptr; });
  return job == waiting_.end() ? nullptr : &*job;
}

// Only one blob travels at a time: two that do not fit into the cache together would evict each other forever.
std::optional<Frame> LeaseServer::NextBlobRequest() {
  const JobMessage* job = FirstWithoutBlobs();
  if (job == nullptr) return std::nullopt;
  const std::string& sha256 = FirstMissing(*job)->sha256;
  return NeedPieceFrame(job->id, sha256, blobs_.ReceivedBytes(sha256));
}

std::vector<Frame> LeaseServer::OnPiece(const BlobPiece& piece) {
  const JobMessage* job = FirstWithoutBlobs();
  if (job == nullptr) return {};
  const Blob* wanted = FirstMissing(*job);
  if (wanted->sha256 != piece.sha256 || piece.offset_bytes != blobs_.ReceivedBytes(piece.sha256)) return {};
  heartbeats_since_piece_ = 0;
  std::vector<Frame> answer;
  try {
    blobs_.Take(piece, wanted->size_bytes);
    for (JobMessage& each : waiting_) {
      job = &each;
      AttachBlobs(each);
    }
  } catch (const std::exception& error) {
    const JobId bad = job->id;
    answer.push_back(JobErrorFrame("unsupported_job", error.what(), {{"job", bad}, {"attempt", job->attempt}}));
    std::erase_if(waiting_, [&](const JobMessage& each) { return each.id == bad; });
  }
  if (std::optional<Frame> need = NextBlobRequest()) answer.push_back(std::move(*need));
  return answer;
}

const Frame* LeaseServer::FindResult(JobId id, const uint32_t* attempt) const {
  for (const auto& [key, frame] : sent_results_) {
    if (key.first == id && (!attempt || key.second == *attempt)) return &frame;
  }
  return nullptr;
}

std::vector<Frame> LeaseServer::OnJob(const Frame& frame) {
  JobMessage job;
  try {
    job = JobFromFrame(frame);
  } catch (const Error& error) {
    return {JobErrorFrame("unsupported_job", error.what(), frame.header)};
  }
  if (const Frame* done = FindResult(job.id, &job.attempt)) return {*done};
  if (IsPending(job.id, &job.attempt)) return {};
  if (waiting_.size() >= kMostWaiting) {
    return {JobErrorFrame("busy", fmt::format("{} jobs wait already", waiting_.size()), frame.header)};
  }
  if (HasBlobs(job)) return OnPackage(std::move(job), frame.header);
  if (!job.job.reference.elf.empty()) references_.Insert(job.reference_sha256, job.job.reference.elf);
  std::vector<Frame> answer;
  if (LacksData(job)) answer.push_back(NeedFrame(job.id, job.reference_sha256));
  waiting_.push_back(std::move(job));
  return answer;
}

std::vector<Frame> LeaseServer::OnPackage(JobMessage job, const Json& header) {
  if (const int64_t bytes = BlobBytes(job); bytes > caps_.package_bytes) {
    return {JobErrorFrame(
        "unsupported_job",
        fmt::format("its blobs, parameters or a model and inputs, have {} bytes; this runner takes {} (--max-package)",
                    bytes, caps_.package_bytes),
        header)};
  }
  try {
    AttachBlobs(job);
  } catch (const Error& error) {
    return {JobErrorFrame("unsupported_job", error.what(), header)};
  }
  // If an earlier job lacks blobs, it has asked for them already.
  const bool asks = LacksData(job) && FirstWithoutBlobs() == nullptr;
  waiting_.push_back(std::move(job));
  if (!asks) return {};
  heartbeats_since_piece_ = 0;
  return {*NextBlobRequest()};
}

std::vector<Frame> LeaseServer::OnHeartbeat(const Json& header) {
  std::vector<Frame> answer;
  if (const auto look = header.find("look"); look != header.end() && *look == true) {
    check_requested_ = !unverified_.empty();
    check_reported_ = unverified_.empty();
    if (check_reported_) answer.push_back(Heartbeat());
  }
  const auto withdraw = header.find("withdraw");
  if (withdraw != header.end() && withdraw->is_array()) answer.push_back(OnWithdraw(*withdraw));
  const auto jobs = header.find("jobs");
  if (jobs == header.end() || !jobs->is_array() || jobs->size() > kMostSentResults) return answer;
  for (const Json& job : *jobs) {
    if (!job.is_number_unsigned()) continue;
    const JobId id = job.get<JobId>();
    if (const Frame* done = FindResult(id, nullptr)) {
      answer.push_back(*done);
    } else if (!IsPending(id, nullptr)) {
      answer.push_back(ErrorFrame("unknown_job", "send it again"));
      answer.back().header["job"] = id;
    }
  }
  // The blob of a reference may have been lost on the way.
  for (const JobMessage& job : waiting_) {
    if (!HasBlobs(job) && LacksData(job)) answer.push_back(NeedFrame(job.id, job.reference_sha256));
  }
  // Asking again too soon would bring the piece that is on its way twice.
  if (++heartbeats_since_piece_ % kHeartbeatsUntilPieceIsLost == 0) {
    if (std::optional<Frame> need = NextBlobRequest()) answer.push_back(std::move(*need));
  }
  return answer;
}

// Gives back jobs that wait. The client learns about the others from their results.
Frame LeaseServer::OnWithdraw(const Json& jobs) {
  Json withdrawn = Json::array(), kept = Json::array();
  for (const Json& job : jobs) {
    if (!job.is_number_unsigned()) continue;
    const auto waits = [&](const JobMessage& other) { return other.id == job.get<JobId>(); };
    (std::erase_if(waiting_, waits) > 0 ? withdrawn : kept).push_back(job);
  }
  return {FrameKind::kHeartbeat, {{"withdrawn", withdrawn}, {"kept", kept}}, {}};
}

std::optional<JobMessage> LeaseServer::NextJob() {
  for (auto it = waiting_.begin(); it != waiting_.end(); ++it) {
    if (LacksData(*it)) continue;
    JobMessage job = std::move(*it);
    waiting_.erase(it);
    if (!HasBlobs(job)) job.job.reference.elf = *references_.Find(job.reference_sha256);
    running_.emplace_back(job.id, job.attempt);
    return job;
  }
  return std::nullopt;
}

std::optional<Frame> LeaseServer::Finish(const JobMessage& job, const Measurement& measurement, const JobCost& cost,
                                         std::string outputs, std::optional<RuntimeFacts> runtime) {
  if (job.lease != lease_) return std::nullopt;
  std::erase(running_, Key(job.id, job.attempt));
  sent_results_.emplace_back(Key(job.id, job.attempt), ResultToFrame({job.id, job.attempt, measurement, cost,
                                                                      std::move(outputs), std::move(runtime)}));
  sent_results_.back().second.lease = lease_;
  // A result that was measured in doubt says so itself.
  if (measurement.environment.health.empty()) unverified_.push_back(job.id);
  if (unverified_.size() > kMostDoubted) unverified_.pop_front();
  size_t bytes = 0;
  for (const auto& [key, frame] : sent_results_) bytes += ResultBytes(frame);
  while (sent_results_.size() > 1 && (sent_results_.size() > kMostSentResults || bytes > kMostSentBytes)) {
    bytes -= ResultBytes(sent_results_.front().second);
    sent_results_.pop_front();
  }
  return sent_results_.back().second;
}

}  // namespace hone
