// Frames that a session gets from the tracker and the runners: docs/reference/protocol.md, "Leases" and "Many runners".
#include <fmt/format.h>

#include "core/error.h"
#include "rpc_runner/machine/machine_kind.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/process/standard_streams.h"
#include "rpc_runner/remote/remote_session.h"
#include "rpc_runner/wire/job_message.h"
#include "rpc_runner/wire/protocol.h"

namespace hone {

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

}  // namespace hone
