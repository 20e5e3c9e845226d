#include "rpc_runner/keys/tracker_door.h"

namespace hone {
namespace {

std::string AuditPath(const ServerKeys& keys) {
  if (!keys.audit.empty() || keys.folder.empty()) return keys.audit;
  return KeyFolder(keys.folder).audit();
}

}  // namespace

TrackerDoor::TrackerDoor(const ServerKeys& keys) : audit_(AuditPath(keys)) {
  Security security;
  if (!keys.folder.empty()) {
    gate_ = std::make_unique<Gatekeeper>(KeyFolder(keys.folder), audit_);
    security.own = gate_->keys();
    security.gate = gate_.get();
  }
  context_ = std::make_unique<SocketContext>(security);
  if (gate_) zap_ = std::make_unique<ZapHandler>(*context_, *gate_);
}

}  // namespace hone
