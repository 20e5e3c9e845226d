// The context of a tracker's sockets: without keys, or with the thread that answers who may connect.
#pragma once

#include <memory>
#include <string>

#include "rpc_runner/keys/audit.h"
#include "rpc_runner/keys/gatekeeper.h"
#include "rpc_runner/keys/key_paths.h"
#include "rpc_runner/wire/socket.h"

namespace hone {

// Throws as a tracker would that listens at `bind` with these keys, and changes nothing.
void RequireTrustedKeys(const ServerKeys& keys, const std::string& bind);

// Must outlive the sockets of its context.
class TrackerContext {
 public:
  // Throws Error(kBadConfig) if the folder's secret or list cannot be trusted (Gatekeeper) or the audit cannot be
  // written.
  explicit TrackerContext(const ServerKeys& keys);
  ~TrackerContext();
  TrackerContext(const TrackerContext&) = delete;
  TrackerContext& operator=(const TrackerContext&) = delete;
  SocketContext& context() { return *context_; }
  Audit& audit() { return audit_; }

 private:
  class ZapHandler;

  Audit audit_;
  std::unique_ptr<Gatekeeper> gate_;
  std::unique_ptr<SocketContext> context_;
  std::unique_ptr<ZapHandler> zap_;
};

}  // namespace hone
