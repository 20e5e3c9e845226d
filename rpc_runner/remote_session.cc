#include "rpc_runner/remote_session.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "core/error.h"
#include "core/hash.h"
#include "rpc_runner/clock.h"
#include "rpc_runner/lease_times.h"

namespace hone {
namespace {

constexpr uint32_t kMostAttempts = 3;
constexpr int64_t kLoopNs = 100'000'000;

std::chrono::nanoseconds Span(int64_t ns) { return std::chrono::nanoseconds(ns); }

}  // namespace

RemoteSession::RemoteSession(const RemoteRunnerOptions& options)
    : options_(options),
      client_(NewRandomName()),
      served_ns_(MonotonicNs()),
      tracker_(context_, Socket::Kind::kDealer) {
  tracker_.Connect(options.tracker);
  wake_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake_fd_ < 0) throw Error(ExitCode::kIo, "the system gives no event descriptor");
  thread_ = std::thread([this] { Loop(); });
}

RemoteSession::~RemoteSession() {
  stop_ = true;
  eventfd_write(wake_fd_, 1);
  thread_.join();
  close(wake_fd_);
}

void RemoteSession::WaitForOffer() {
  std::unique_lock lock(mutex_);
  if (changed_.wait_for(lock, Span(options_.connect_timeout_ns), [this] { return runner_offered_; })) return;
  throw Error(ExitCode::kNoRunner,
              tracker_answered_
                  ? fmt::format("no runner offers the key \"{}\" at {}; hone devices lists those that do", options_.key,
                                options_.tracker)
                  : fmt::format("no tracker answers at {}; start one with hone tracker", options_.tracker));
}

void RemoteSession::Submit(JobId id, KernelJob job) {
  JobMessage message;
  message.reference_sha256 = Sha256Hex(job.reference.elf);
  message.job = std::move(job);
  Add(id, std::move(message));
}

void RemoteSession::SubmitPackage(JobId id, PackageJob job) {
  JobMessage message;
  message.package = std::move(job);
  Add(id, std::move(message));
}

void RemoteSession::Add(JobId id, JobMessage message) {
  Job next{std::move(message)};
  next.message.id = id;
  {
    const std::lock_guard lock(mutex_);
    if (jobs_.empty()) served_ns_ = MonotonicNs();
    jobs_.emplace(id, std::move(next));
  }
  eventfd_write(wake_fd_, 1);
}

size_t RemoteSession::outstanding() const {
  const std::lock_guard lock(mutex_);
  return jobs_.size();
}

bool RemoteSession::Wait(int64_t timeout_ns, JobResult* result) {
  std::unique_lock lock(mutex_);
  const auto ready = [this] { return !results_.empty() || jobs_.empty(); };
  if (timeout_ns < 0) {
    changed_.wait(lock, ready);
  } else {
    changed_.wait_for(lock, Span(timeout_ns), ready);
  }
  if (results_.empty()) return false;
  *result = std::move(results_.front());
  results_.pop_front();
  return true;
}

Environment RemoteSession::Describe() {
  std::unique_lock lock(mutex_);
  // A tuner that was killed holds its lease until that runs out: to be started again at once must work.
  if (!changed_.wait_for(lock, Span(options_.lost_timeout_ns), [this] { return environment_.has_value(); })) {
    throw Error(ExitCode::kNoRunner, fmt::format("every runner of the key \"{}\" is busy", options_.key));
  }
  return *environment_;
}

void RemoteSession::Loop() {
  while (!stop_) Turn();
  tracker_.Send("", {FrameKind::kRelease, {{"client", client_}, {"lease", lease_}}, {}});
}

void RemoteSession::Turn() {
  std::vector<const Socket*> sockets = {&tracker_};
  if (runner_) sockets.push_back(runner_.get());
  WaitForAny(sockets, wake_fd_, kLoopNs);
  eventfd_t count = 0;
  eventfd_read(wake_fd_, &count);
  Socket::Message message;
  const auto take = [&](auto handle) {
    try {
      handle(DecodeFrame(message.bytes));
    } catch (const Error& error) {
      // Somebody who speaks nonsense is silent for us, and its silence is noticed.
      fmt::print(stderr, "remote runner: {}\n", error.what());
    }
  };
  while (tracker_.Receive(&message)) take([this](const Frame& frame) { FromTracker(frame); });
  while (runner_ && runner_->Receive(&message)) take([this](const Frame& frame) { FromRunner(frame); });
  const int64_t now_ns = MonotonicNs();
  if (runner_ && now_ns - runner_heard_ns_ > kLostNs) OnLost();
  if (runner_) SendJobs();
  if (now_ns - beat_ns_ >= kBeatNs) Beat(now_ns);
  GiveUpLateJobs(now_ns);
}

void RemoteSession::FromTracker(const Frame& frame) {
  if (frame.kind == FrameKind::kLease) return OnLease(frame.header);
  if (frame.kind == FrameKind::kLeaseEnd && HeaderText(frame.header, "lease") == lease_ && runner_) return OnLost();
  const std::lock_guard lock(mutex_);
  if (frame.kind == FrameKind::kError) {
    fmt::print(stderr, "remote runner: the tracker says: {}\n", HeaderText(frame.header, "message"));
  } else if (frame.kind == FrameKind::kQueued) {
    tracker_answered_ = true;
    if (HeaderNumber(frame.header, "runners") == 0) return;
    runner_offered_ = true;
    served_ns_ = MonotonicNs();
    changed_.notify_all();
  }
}

void RemoteSession::OnLease(const Json& header) {
  const std::string lease = HeaderText(header, "lease");
  if (runner_) return;  // an answer to a request that we repeated
  const Environment environment = EnvironmentFromJson(HeaderObject(header, "environment"));
  auto runner = std::make_unique<Socket>(context_, Socket::Kind::kDealer);
  runner->Connect(HeaderText(header, "address"));
  runner_ = std::move(runner);
  lease_ = lease;
  runner_heard_ns_ = MonotonicNs();
  beat_ns_ = 0;
  const std::lock_guard lock(mutex_);
  tracker_answered_ = runner_offered_ = true;
  environment_ = environment;
  served_ns_ = MonotonicNs();
  changed_.notify_all();
}

void RemoteSession::FromRunner(const Frame& frame) {
  runner_heard_ns_ = MonotonicNs();
  if (frame.kind == FrameKind::kLeaseEnd) {
    if (HeaderText(frame.header, "lease") == lease_) OnLost();
    return;
  }
  if (frame.kind == FrameKind::kError) return OnError(frame.header);
  const std::lock_guard lock(mutex_);
  if (frame.kind == FrameKind::kResult) {
    ResultMessage result = ResultFromFrame(frame);
    const auto job = jobs_.find(result.id);
    if (job == jobs_.end() || job->second.message.attempt != result.attempt) return;  // a repetition
    Finish(job, std::move(result.measurement), result.cost);
  } else if (frame.kind == FrameKind::kNeed) {
    const auto job = jobs_.find(HeaderNumber(frame.header, "job"));
    if (job == jobs_.end()) return;
    runner_->Send("", BlobFrame(job->second.message.reference_sha256, job->second.message.job.reference.elf));
  }
}

void RemoteSession::OnError(const Json& header) {
  const std::string code = HeaderText(header, "code");
  if (code == "no_lease") return OnLost();
  const std::lock_guard lock(mutex_);
  const auto job = header.contains("job") ? jobs_.find(HeaderNumber(header, "job")) : jobs_.end();
  if (job == jobs_.end()) return;
  if (code == "unknown_job" || code == "busy") {
    job->second.sent = false;
  } else {
    Finish(job, FailedMeasurement(Fate::kUnsupported, 0, HeaderText(header, "message")));
  }
}

void RemoteSession::OnLost() {
  tracker_.Send("", {FrameKind::kRelease, {{"client", client_}, {"lease", lease_}}, {}});
  runner_.reset();
  lease_.clear();
  beat_ns_ = 0;
  const std::lock_guard lock(mutex_);
  served_ns_ = MonotonicNs();
  for (auto it = jobs_.begin(); it != jobs_.end();) {
    const auto job = it++;
    if (!job->second.sent) continue;
    job->second.sent = false;
    if (++job->second.message.attempt > kMostAttempts) {
      Finish(job, FailedMeasurement(Fate::kRunnerLost, 0, fmt::format("{} runners were lost under it", kMostAttempts)));
    }
  }
}

void RemoteSession::SendJobs() {
  const std::lock_guard lock(mutex_);
  for (auto it = jobs_.begin(); it != jobs_.end();) {
    const auto job = it++;
    if (job->second.sent) continue;
    job->second.message.lease = lease_;
    try {
      job->second.sent = runner_->Send("", JobToFrame(job->second.message, false));
    } catch (const Error& error) {
      Finish(job, FailedMeasurement(Fate::kUnsupported, 0, error.what()));
    }
  }
}

void RemoteSession::Beat(int64_t now_ns) {
  beat_ns_ = now_ns;
  if (!runner_) {
    tracker_.Send(
        "", {FrameKind::kLeaseRequest, {{"client", client_}, {"label", options_.client}, {"key", options_.key}}, {}});
    return;
  }
  tracker_.Send("", {FrameKind::kHeartbeat, {{"client", client_}, {"lease", lease_}}, {}});
  Json jobs = Json::array();
  const std::lock_guard lock(mutex_);
  for (const auto& [id, job] : jobs_) {
    if (job.sent) jobs.push_back(id);
  }
  runner_->Send("", {FrameKind::kHeartbeat, {{"lease", lease_}, {"jobs", std::move(jobs)}}, {}});
}

void RemoteSession::GiveUpLateJobs(int64_t now_ns) {
  if (runner_) return;
  const std::lock_guard lock(mutex_);
  if (now_ns - served_ns_ <= options_.lost_timeout_ns) return;
  while (!jobs_.empty()) {
    const std::string message = fmt::format("no runner offered the key \"{}\" any more", options_.key);
    Finish(jobs_.begin(), FailedMeasurement(Fate::kRunnerLost, 0, message));
  }
}

void RemoteSession::Finish(std::map<JobId, Job>::iterator job, Measurement measurement, JobCost cost) {
  results_.push_back({job->first, std::move(measurement), cost});
  jobs_.erase(job);
  changed_.notify_all();
}

}  // namespace hone
