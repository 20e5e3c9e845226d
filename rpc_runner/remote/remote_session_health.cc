// The part of a session that learns of results that their runner retracts later: docs/reference/protocol.md, Health.
#include <sys/eventfd.h>

#include <chrono>
#include <utility>

#include "rpc_runner/remote/remote_session.h"

namespace hone {

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

// HasRoom what the runner says of results that it sent earlier.
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

}  // namespace hone
