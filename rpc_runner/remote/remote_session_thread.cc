// The session's thread: the tuner's side of docs/reference/protocol.md, "Leases" and "Many runners".
#include <fmt/format.h>
#include <sys/eventfd.h>

#include <algorithm>

#include "core/error.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/process/standard_streams.h"
#include "rpc_runner/remote/remote_session.h"
#include "rpc_runner/wire/job_message.h"
#include "rpc_runner/wire/protocol.h"

namespace hone {
namespace {

constexpr int64_t kSessionLoopNs = 100'000'000;
constexpr int64_t kFullNs = 2'000'000;       // how soon a full connection is tried again
constexpr int64_t kSettleNs = kHeartbeatNs;  // until the tracker has said who has the runners

}  // namespace

void RemoteSession::Loop() {
  while (!stop_) Step();
  {
    // Without this the socket would wait for a tracker that does not answer.
    const std::lock_guard lock(mutex_);
    if (!tracker_answered_) tracker_.DropUnsent();
  }
  SendRelease(requester_.client(), "");
  for (const HeldLease& lease : leases_) SendRelease(lease.client, lease.lease);
}

void RemoteSession::Step() {
  std::vector<const Socket*> sockets = {&tracker_};
  for (const HeldLease& lease : leases_) {
    if (lease.direct) sockets.push_back(lease.direct.get());
  }
  WaitForAny(sockets, wake_fd_, full_ ? kFullNs : kSessionLoopNs);
  full_ = false;
  eventfd_t count = 0;
  eventfd_read(wake_fd_, &count);
  ReceiveAll();
  const int64_t now_ns = MonotonicNs();
  DropLost(now_ns);
  SendJobs();
  WithdrawJobs();
  RequestHealthChecks();
  CloseDrained();
  CloseBroken();
  for (HeldLease& lease : leases_) {
    if (now_ns - lease.heartbeat_ns >= kHeartbeatNs) SendHeartbeat(lease, now_ns);
  }
  RequestMore(now_ns);
  FailLateJobs(now_ns);
  UpdateAbsence(now_ns);
}

void RemoteSession::ReceiveAll() {
  Socket::Message message;
  const auto take = [&](auto handle) {
    try {
      handle(DecodeFrame(message.bytes));
    } catch (const Error& error) {
      // A peer that sends invalid frames counts as silent, and the timeout notices it.
      IsOtherVersion(message.bytes) ? NoteOtherVersion(error.what()) : LogError("remote runner", error.what());
    }
  };
  const int64_t now_ns = MonotonicNs();
  while (tracker_.Receive(&message)) take([&](const Frame& frame) { OnMessage(frame, now_ns); });
  UpdateRefusal();
  for (HeldLease& lease : leases_) {
    while (lease.direct && lease.heard_ns > 0 && lease.direct->Receive(&message)) {
      take([&](const Frame& frame) {
        if (frame.lease == lease.lease && frame.kind != FrameKind::kError) lease.direct_heard_ns = now_ns;
        if (frame.lease == lease.lease) FromRunner(lease, frame);
      });
    }
  }
}

void RemoteSession::NoteOtherVersion(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (runner_offered_ && why != other_version_) LogError("remote runner", why);
  other_version_ = why;
  changed_.notify_all();
}

void RemoteSession::UpdateRefusal() {
  std::string refusal = tracker_.Refusal();
  if (refusal.empty()) refusal = not_allowed_;
  if (refusal == reported_refusal_) return;
  reported_refusal_ = refusal;
  const std::lock_guard lock(mutex_);
  // Until the first runner is offered, the caller gets the refusal as an error instead.
  if (runner_offered_ && !refusal.empty()) LogError("hone", refusal);
  refusal_ = std::move(refusal);
  changed_.notify_all();
}

// Drains at most one worker per heartbeat, because the tracker's next message takes it into account.
void RemoteSession::YieldOne(int64_t now_ns) {
  if (now_ns - yielded_ns_ < kHeartbeatNs) return;
  const std::lock_guard lock(mutex_);
  if (queue_.draining()) return;
  const std::optional<WorkerId> spare = queue_.WorkerToYield();
  if (!spare) return;
  yielded_ns_ = now_ns;
  queue_.DrainWorker(*spare);
}

// The worker's runner is drained or held for another user. The tracker repeats the message each second.
void RemoteSession::YieldLease(const std::string& lease) {
  const HeldLease* found = FindLease(leases_, lease);
  if (found == nullptr) return;
  const std::lock_guard lock(mutex_);
  if (queue_.MayDrain(found->worker)) queue_.DrainWorker(found->worker);
}

void RemoteSession::CloseDrained() {
  std::optional<WorkerId> drained;
  {
    const std::lock_guard lock(mutex_);
    drained = queue_.DrainedWorker();
  }
  if (!drained) return;
  yielded_ns_ = MonotonicNs();
  ForgetLease(std::find_if(leases_.begin(), leases_.end(), [&](const HeldLease& l) { return l.worker == *drained; }));
}

// Leaves the runner out for this session only; its own messages say why it fails.
void RemoteSession::CloseBroken() {
  std::optional<WorkerId> broken;
  {
    const std::lock_guard lock(mutex_);
    broken = queue_.BrokenWorker();
  }
  if (!broken) return;
  const auto lease =
      std::find_if(leases_.begin(), leases_.end(), [&](const HeldLease& l) { return l.worker == *broken; });
  LogError("hone", fmt::format("the runner {} is left out: {} jobs in a row were lost there; its own "
                               "messages say why",
                               lease->environment.label, JobQueue::kMostFaults));
  requester_.Exclude(lease->runner);
  ForgetLease(lease);
}

void RemoteSession::DropLost(int64_t now_ns) {
  for (auto it = leases_.begin(); it != leases_.end();) {
    const auto lease = it++;
    const bool silent = tracker_heard_ns_ - lease->heard_ns > kLostNs || now_ns - lease->heard_ns > kLeaseNs;
    if (silent) ForgetLease(lease);
  }
}

void RemoteSession::ForgetLease(std::list<HeldLease>::iterator lease) {
  SendRelease(lease->client, lease->lease);
  const std::lock_guard lock(mutex_);
  if (leases_.size() == 1) {
    served_ns_ = seen_ns_ = alone_ns_ = MonotonicNs();
    requester_.RequestAtOnce();
  }
  queue_.RemoveLostWorker(lease->worker);
  checks_running_.erase(lease->worker);
  std::erase_if(machines_, [&](const auto& machine) { return machine.first == lease->worker; });
  leases_.erase(lease);
  changed_.notify_all();
}

void RemoteSession::SendRelease(const std::string& client, const std::string& lease) {
  tracker_.Send("", {FrameKind::kRelease, {{"client", client}, {"lease", lease}}, {}});
}

void RemoteSession::SendJobs() {
  const std::lock_guard lock(mutex_);
  while (const std::optional<JobQueue::Place> next = queue_.NextToSend()) {
    HeldLease* lease = FindWorker(leases_, next->worker);
    JobMessage* message = queue_.Find(next->job);
    message->lease = lease->lease;
    try {
      if (lease->Send(JobToFrame(*message, false), tracker_)) continue;
      queue_.MarkReturned(*next);
      full_ = true;
      return;
    } catch (const Error& error) {
      queue_.Fail(next->job, Fate::kUnsupported, error.what());
      changed_.notify_all();
    }
  }
}

void RemoteSession::WithdrawJobs() {
  const std::lock_guard lock(mutex_);
  while (const std::optional<JobQueue::Place> next = queue_.NextToWithdraw()) {
    FindWorker(leases_, next->worker)->Send({FrameKind::kHeartbeat, {{"withdraw", {next->job}}}, {}}, tracker_);
  }
}

void RemoteSession::RequestMore(int64_t now_ns) {
  if (static_cast<int>(leases_.size()) >= options_.max_runners) return;
  if (const std::optional<Frame> request = requester_.NextRequest(now_ns)) tracker_.Send("", *request);
}

void RemoteSession::SendHeartbeat(HeldLease& lease, int64_t now_ns) {
  lease.heartbeat_ns = now_ns;
  tracker_.Send("", {FrameKind::kHeartbeat,
                     {{"client", lease.client},
                      {"lease", lease.lease},
                      {"tuner", tuner_},
                      {"label", options_.client},
                      {"user", options_.user},
                      {"priority", options_.priority}},
                     {}});
  const std::lock_guard lock(mutex_);
  queue_.MarkNotFull(lease.worker);
  lease.SendHeartbeat({FrameKind::kHeartbeat, {{"jobs", queue_.JobsOf(lease.worker)}}, {}}, tracker_);
}

void RemoteSession::FailLateJobs(int64_t now_ns) {
  if (!leases_.empty()) return;
  const std::lock_guard lock(mutex_);
  const bool may_come = !IsGone(now_ns) && now_ns - served_ns_ <= options_.lost_timeout_ns;
  if (may_come || queue_.outstanding() == 0) return;
  queue_.FailAll(Fate::kRunnerLost,
                 busy_.empty()
                     ? fmt::format("no runner offered the device key \"{}\" any more", options_.key)
                     : fmt::format("no runner of the device key \"{}\" became free: {}", options_.key, busy_));
  changed_.notify_all();
}

void RemoteSession::UpdateAbsence(int64_t now_ns) {
  const std::lock_guard lock(mutex_);
  if (alone_ns_ == 0 || now_ns - alone_ns_ < kSettleNs) return absence_.reset();
  const int64_t gone_ns = now_ns - std::max(alone_ns_, offered_ns_);
  if (now_ns - tracker_heard_ns_ > kLostNs) {
    absence_ = {fmt::format("the tracker at {} does not answer", options_.tracker), gone_ns};
  } else if (gone_ns < kLostNs && !busy_.empty()) {
    absence_ = {fmt::format("no runner of the key \"{}\" is free: {}", options_.key, busy_), 0};
  } else {
    absence_ = {fmt::format("no runner left for the key \"{}\"", options_.key), gone_ns};
  }
}

}  // namespace hone
