#include "rpc_runner/remote/remote_session.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/error.h"
#include "core/hash/hash.h"
#include "rpc_runner/keys/client_keys.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/runner.h"
#include "rpc_runner/tracker/ask_tracker.h"
#include "rpc_runner/wire/protocol.h"

namespace hone {
namespace {

constexpr int64_t kLeasePollNs = 100'000'000;

std::chrono::nanoseconds Nanoseconds(int64_t ns) { return std::chrono::nanoseconds(ns); }

RemoteRunnerOptions WithUser(RemoteRunnerOptions options) {
  if (options.user.empty()) options.user = LocalUser();
  return options;
}

}  // namespace

RemoteSession::RemoteSession(const RemoteRunnerOptions& options)
    : options_(WithUser(options)),
      tuner_(NewRandomName()),
      served_ns_(MonotonicNs()),
      seen_ns_(served_ns_),
      context_(ClientSecurity(options.keys, options.tracker)),
      tracker_(context_, Socket::Kind::kDealer),
      requester_(options_, tuner_) {
  tracker_.ReconnectIfSilent(kSilenceNs);
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
  changed_.wait_for(lock, Nanoseconds(options_.connect_timeout_ns),
                    [this] { return runner_offered_ || !refusal_.empty() || !other_version_.empty(); });
  if (runner_offered_) return;
  if (!other_version_.empty()) {
    throw Error(ExitCode::kNoRunner, fmt::format("the tracker at {}: {}", options_.tracker, other_version_));
  }
  if (!refusal_.empty()) throw Error(ExitCode::kNotAuthorised, refusal_);
  throw Error(ExitCode::kNoRunner,
              tracker_answered_
                  ? fmt::format("no runner offers the device key \"{}\" at {}; hone devices lists those that do",
                                options_.key, options_.tracker)
                  : fmt::format("no tracker answers at {}; start one with hone tracker", options_.tracker));
}

JobId RemoteSession::Submit(KernelJob job) {
  JobMessage message;
  message.reference_sha256 = Sha256Hex(job.reference.elf);
  const uint64_t group = job.group;
  message.job = std::move(job);
  return Add(std::move(message), group);
}

JobId RemoteSession::SubmitPackage(PackageJob job) {
  JobMessage message;
  const uint64_t group = job.group;
  message.package = std::move(job);
  return Add(std::move(message), group);
}

JobId RemoteSession::SubmitRuntime(RuntimeJob job) {
  JobMessage message;
  const uint64_t group = job.group;
  message.runtime = std::move(job);
  return Add(std::move(message), group);
}

JobId RemoteSession::Add(JobMessage message, uint64_t group) {
  const JobId id = message.id = next_id_++;
  {
    const std::lock_guard lock(mutex_);
    if (queue_.outstanding() == 0) served_ns_ = seen_ns_ = MonotonicNs();
    queue_.Add(std::move(message), group);
  }
  eventfd_write(wake_fd_, 1);
  return id;
}

int RemoteSession::FreeSlots() const {
  const std::lock_guard lock(mutex_);
  const int wanted = JobQueue::kDepth * std::max(1, queue_.workers());
  return std::max(0, wanted - static_cast<int>(queue_.outstanding()));
}

bool RemoteSession::Wait(int64_t timeout_ns, JobResult* result) {
  std::unique_lock lock(mutex_);
  const auto ready = [this] { return queue_.has_results() || queue_.outstanding() == 0; };
  if (timeout_ns < 0) {
    changed_.wait(lock, ready);
  } else {
    changed_.wait_for(lock, Nanoseconds(timeout_ns), ready);
  }
  if (!queue_.PopResult(result)) return false;
  suspects_.MarkDelivered(result->id);
  return true;
}

uint64_t RemoteSession::OpenGroup() {
  const std::lock_guard lock(mutex_);
  return queue_.OpenGroup();
}

void RemoteSession::CloseGroup(uint64_t group) {
  const std::lock_guard lock(mutex_);
  queue_.CloseGroup(group);
}

Environment RemoteSession::Describe() {
  std::unique_lock lock(mutex_);
  // A killed tuner keeps its lease until it expires. Starting the tuner again at once must work, so this waits longer.
  const int64_t until_ns = MonotonicNs() + options_.lost_timeout_ns;
  while (!environment_) {
    const int64_t now_ns = MonotonicNs();
    if (now_ns >= until_ns || IsGone(now_ns)) ThrowNotFree();
    changed_.wait_for(lock, Nanoseconds(std::min(kLeasePollNs, until_ns - now_ns)));
  }
  return *environment_;
}

bool RemoteSession::IsGone(int64_t now_ns) const {
  return now_ns - seen_ns_ > std::min(options_.gone_timeout_ns, options_.lost_timeout_ns);
}

void RemoteSession::ThrowNotFree() const {
  const std::string why = busy_.empty() ? "" : ": " + busy_;
  throw Error(ExitCode::kNoRunner, fmt::format("no runner of the device key \"{}\" became free{}", options_.key, why));
}

std::vector<Environment> RemoteSession::Machines() {
  const std::lock_guard lock(mutex_);
  std::vector<Environment> machines(machines_.size());
  std::transform(machines_.begin(), machines_.end(), machines.begin(), [](const auto& m) { return m.second; });
  return machines;
}

std::optional<RunnerAbsence> RemoteSession::Absence() {
  const std::lock_guard lock(mutex_);
  return absence_;
}

// Results that their runner retracts later: docs/reference/protocol.md, Health.
std::vector<SuspectResult> RemoteSession::TakeSuspectResults() {
  const std::lock_guard lock(mutex_);
  return suspects_.Take();
}

void RemoteSession::CheckHealth(int64_t timeout_ns) {
  std::unique_lock lock(mutex_);
  for (const auto& [worker, environment] : machines_) checks_wanted_.insert(worker);
  eventfd_write(wake_fd_, 1);
  changed_.wait_for(lock, std::chrono::nanoseconds(timeout_ns),
                    [this] { return checks_wanted_.empty() && checks_running_.empty(); });
  checks_wanted_.clear();
  checks_running_.clear();
}

// Takes what the runner says of results that it sent earlier.
void RemoteSession::OnHealth(const HeldLease& lease, const Json& header) {
  const bool checked = header.contains("looked") && header["looked"] == true;
  if (!checked && !header.contains("doubted")) return;
  const std::lock_guard lock(mutex_);
  suspects_.MarkSuspect(lease.worker, HeaderNumbers(header, "doubted"),
                        header.contains("why") ? HeaderText(header, "why") : "");
  if (checked) checks_running_.erase(lease.worker);
  changed_.notify_all();
}

void RemoteSession::RequestHealthChecks() {
  const std::lock_guard lock(mutex_);
  for (const WorkerId worker : std::exchange(checks_wanted_, {})) {
    HeldLease* lease = FindWorker(leases_, worker);
    if (lease == nullptr || lease->heard_ns == 0) continue;
    checks_running_.insert(worker);
    lease->SendHeartbeat({FrameKind::kHeartbeat, {{"look", true}}, {}}, tracker_);
  }
  if (checks_running_.empty()) changed_.notify_all();
}

std::unique_ptr<Runner> MakeRemoteRunner(const RemoteRunnerOptions& options) {
  auto session = std::make_unique<RemoteSession>(options);
  session->WaitForOffer();
  return session;
}

}  // namespace hone
