#include "rpc_runner/keys/tracker_context.h"

#include "rpc_runner/keys/identity.h"
#include "rpc_runner/wire/address.h"

namespace hone {
namespace {

std::string AuditPath(const ServerKeys& keys) {
  // Reads the identity first, so that an invalid folder is reported as such.
  if (!keys.folder.empty()) ReadIdentity(KeyFolder(keys.folder).secret());
  if (!keys.audit.empty() || keys.folder.empty()) return keys.audit;
  return KeyFolder(keys.folder).audit();
}

}  // namespace

void RequireTrustedKeys(const ServerKeys& keys, const std::string& bind) {
  if (keys.folder.empty()) {
    RequireLoopback(bind);
    return;
  }
  ParseBindAddress(bind);
  Audit none("");
  Gatekeeper(KeyFolder(keys.folder), none);
}

TrackerContext::TrackerContext(const ServerKeys& keys) : audit_(AuditPath(keys)) {
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
