// The session's thread: the tuner's side of docs/reference/protocol.md, "Leases" and "Many runners".
#include <fmt/format.h>
#include <sys/eventfd.h>

#include <algorithm>

#include "core/error.h"
#include "rpc_runner/machine/machine_kind.h"
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

void RemoteSession::OnMessage(const Frame& frame, int64_t now_ns) {
  // While the tracker was away no runner could be heard, so the silence does not count against the runners.
  if (now_ns - tracker_heard_ns_ > kHeartbeatNs * 3 / 2) {
    for (HeldLease& lease : leases_) {
      if (lease.heard_ns > 0) lease.heard_ns = now_ns;
    }
  }
  tracker_heard_ns_ = now_ns;
  if (frame.lease.empty()) return FromTracker(frame);
  HeldLease* lease = FindLease(leases_, frame.lease);
  if (lease != nullptr && lease->heard_ns > 0) FromRunner(*lease, frame);
}

void RemoteSession::FromTracker(const Frame& frame) {
  if (frame.kind == FrameKind::kLease) {
    OnLease(frame.header);
  } else if (frame.kind == FrameKind::kLeaseEnd) {
    if (HeldLease* lease = FindLease(leases_, HeaderText(frame.header, "lease"))) lease->heard_ns = 0;
  } else if (frame.kind == FrameKind::kQueued) {
    OnQueued(frame.header);
  } else if (frame.kind == FrameKind::kHeartbeat) {
    OnTrackerHeartbeat(frame.header);
  } else if (frame.kind == FrameKind::kError) {
    OnTrackerError(frame.header);
  }
}

void RemoteSession::OnTrackerHeartbeat(const Json& header) {
  const auto says = [&](const char* name) { return header.contains(name) && header[name] == true; };
  if (says("must")) {
    YieldLease(HeaderText(header, "lease"));
  } else if (says("yield")) {
    YieldOne(MonotonicNs());
  }
}

void RemoteSession::OnTrackerError(const Json& header) {
  const std::string code = HeaderText(header, "code");
  // A refusal that names a lease concerns that lease and not the key.
  if (code == "not_allowed" && !header.contains("lease")) {
    not_allowed_ = fmt::format("the tracker at {} does not let this key tune: {}; the role tuner there would be right",
                               options_.tracker, HeaderText(header, "message"));
    return;
  }
  if (code != "no_lease") {
    LogError("remote runner", "the tracker says: " + HeaderText(header, "message"));
    return;
  }
  // The tracker does not know yet that this connection is an end of the lease. If the lease is over, the runner falls
  // silent.
  HeldLease* lease = header.contains("lease") ? FindLease(leases_, HeaderText(header, "lease")) : nullptr;
  const int64_t now_ns = MonotonicNs();
  if (lease != nullptr && lease->heard_ns > 0 && now_ns - lease->heartbeat_ns > kAnnounceNs)
    SendHeartbeat(*lease, now_ns);
}

void RemoteSession::OnQueued(const Json& header) {
  not_allowed_.clear();
  if (const auto unlike = header.find("unlike"); unlike != header.end() && unlike->is_array()) {
    requester_.ReportUnlike(*unlike);
  }
  UpdateBusy(header);
  const std::lock_guard lock(mutex_);
  tracker_answered_ = true;
  if (HeaderNumber(header, "runners") > 0) served_ns_ = MonotonicNs();
  if (HeaderNumber(header, "runners") > 0 || !busy_.empty()) {
    runner_offered_ = true;
    offered_ns_ = seen_ns_ = MonotonicNs();
  }
  changed_.notify_all();
}

// Reports who has the runners while this session has none. Older trackers do not send this list.
void RemoteSession::UpdateBusy(const Json& header) {
  const auto busy = header.find("busy");
  const Json list = busy != header.end() && busy->is_array() ? *busy : Json::array();
  std::string text = BusyText(list);
  {
    const std::lock_guard lock(mutex_);
    busy_ = text;
  }
  if (!leases_.empty() || text.empty()) return notice_.Reset();
  if (const std::string next = notice_.Next(list, MonotonicNs()); !next.empty()) LogError("hone", "waiting: " + next);
}

// Ignores answers to requests that were repeated, and gives back machines of another kind.
void RemoteSession::OnLease(const Json& header) {
  const std::string name = HeaderText(header, "lease");
  if (FindLease(leases_, name) != nullptr || !requester_.IsAnswer(header)) return;
  const Environment environment = EnvironmentFromJson(HeaderObject(header, "environment"));
  const Json kind = MachineKind(environment, header.contains("boot") ? HeaderText(header, "boot") : "");
  const int64_t now_ns = MonotonicNs();
  if (const std::string difference = requester_.Difference(kind); !difference.empty()) {
    SendRelease(requester_.client(), name);
    requester_.OnRefused(now_ns);
    const std::string label = HeaderText(header, "label");
    requester_.ReportUnlike({{{"label", label}, {"runner", label}, {"why", difference}}});
    return;
  }
  const std::string runner = header.contains("runner") ? HeaderText(header, "runner") : "";
  const std::string address = options_.direct && header.contains("address") ? HeaderText(header, "address") : "";
  HeldLease& lease = leases_.emplace_back();
  lease.worker = ++last_worker_;
  lease.client = requester_.client();
  lease.lease = name;
  lease.runner = runner;
  lease.environment = environment;
  lease.heard_ns = now_ns;
  if (!address.empty()) lease.ConnectDirectly(runner_context_, address);
  requester_.OnGranted(kind);
  const std::lock_guard lock(mutex_);
  tracker_answered_ = runner_offered_ = true;
  if (!environment_) environment_ = environment;
  machines_.emplace_back(last_worker_, environment);
  queue_.AddWorker(last_worker_);
  served_ns_ = seen_ns_ = now_ns;
  alone_ns_ = 0;
  absence_.reset();
  changed_.notify_all();
}

void RemoteSession::FromRunner(HeldLease& lease, const Frame& frame) {
  // Errors in a lease's name may come from the tracker, so they do not prove that the runner lives.
  if (frame.kind != FrameKind::kError) lease.heard_ns = MonotonicNs();
  if (frame.kind == FrameKind::kLeaseEnd) {
    OnHealth(lease, frame.header);
    lease.heard_ns = 0;
  } else if (frame.kind == FrameKind::kError) {
    OnError(lease, frame.header);
  } else if (frame.kind == FrameKind::kHeartbeat) {
    OnRunnerHeartbeat(lease, frame.header);
  } else if (frame.kind == FrameKind::kResult) {
    ResultMessage result = ResultFromFrame(frame);
    const std::lock_guard lock(mutex_);
    const JobId job = result.id;
    if (queue_.TakeResult(lease.worker, std::move(result))) suspects_.Add(lease.worker, job);
    changed_.notify_all();
  } else if (frame.kind == FrameKind::kNeed) {
    const std::lock_guard lock(mutex_);
    const JobMessage* message = queue_.Find(HeaderNumber(frame.header, "job"));
    if (message == nullptr) return;
    if (std::optional<Frame> blob = AnswerNeed(*message, frame.header, kPieceBytes)) {
      lease.Send(std::move(*blob), tracker_);
    }
  }
}

void RemoteSession::OnRunnerHeartbeat(const HeldLease& lease, const Json& header) {
  OnHealth(lease, header);
  const std::lock_guard lock(mutex_);
  for (const JobId job : HeaderNumbers(header, "withdrawn")) queue_.MarkReturned({lease.worker, job});
  for (const JobId job : HeaderNumbers(header, "kept")) queue_.MarkStarted({lease.worker, job});
}

void RemoteSession::OnError(HeldLease& lease, const Json& header) {
  const std::string code = HeaderText(header, "code");
  if (code == "no_lease") lease.heard_ns = 0;
  if (code == "no_lease" || !header.contains("job")) return;
  const JobId job = HeaderNumber(header, "job");
  const std::lock_guard lock(mutex_);
  if (code == "unknown_job") {
    queue_.MarkReturned({lease.worker, job});
  } else if (code == "busy") {
    queue_.MarkFull({lease.worker, job});
  } else {
    queue_.Fail(job, Fate::kUnsupported, HeaderText(header, "message"));
    changed_.notify_all();
  }
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
                 busy_.empty() ? fmt::format("no runner offered the device key \"{}\" any more", options_.key)
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
