// The part of a session that learns of results which their runner doubts later: docs/reference/protocol.md, Health.
#include <sys/eventfd.h>

#include <chrono>
#include <utility>

#include "rpc_runner/remote/remote_session.h"

namespace hone {

std::vector<Doubt> RemoteSession::TakeDoubts() {
  const std::lock_guard lock(mutex_);
  return doubted_.Take();
}

void RemoteSession::LookAgain(int64_t timeout_ns) {
  std::unique_lock lock(mutex_);
  for (const auto& [worker, environment] : machines_) to_look_.insert(worker);
  eventfd_write(wake_fd_, 1);
  changed_.wait_for(lock, std::chrono::nanoseconds(timeout_ns),
                    [this] { return to_look_.empty() && looking_.empty(); });
  to_look_.clear();
  looking_.clear();
}

// HasRoom what the runner says of results that it sent earlier.
void RemoteSession::TakeHealth(const HeldLease& lease, const Json& header) {
  const bool looked = header.contains("looked") && header["looked"] == true;
  if (!looked && !header.contains("doubted")) return;
  const std::lock_guard lock(mutex_);
  doubted_.SpeakAgainst(lease.worker, HeaderNumbers(header, "doubted"),
                        header.contains("why") ? HeaderText(header, "why") : "");
  if (looked) looking_.erase(lease.worker);
  changed_.notify_all();
}

void RemoteSession::AskForLooks() {
  const std::lock_guard lock(mutex_);
  for (const WorkerId worker : std::exchange(to_look_, {})) {
    HeldLease* lease = FindWorker(leases_, worker);
    if (lease == nullptr || lease->heard_ns == 0) continue;
    looking_.insert(worker);
    lease->SendBeat({FrameKind::kHeartbeat, {{"look", true}}, {}}, tracker_);
  }
  if (looking_.empty()) changed_.notify_all();
}

}  // namespace hone
