// Questions and commands to a tracker from outside.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "rpc_runner/keys/key_options.h"
#include "rpc_runner/tracker/tracker_status.h"

namespace hone {

// Asks again and again over one connection, which comes back by itself when the tracker does. Used by one thread at a
// time.
class TrackerConnection {
 public:
  // Throws Error(kBadConfig) as ClientSecurity.
  TrackerConnection(std::string tracker, const ClientKeys& keys);
  ~TrackerConnection();
  TrackerConnection(const TrackerConnection&) = delete;
  TrackerConnection& operator=(const TrackerConnection&) = delete;

  // Throws as QueryTracker; it may be asked again then.
  TrackerStatus Query(int64_t timeout_ns);

 private:
  struct Line;
  std::string tracker_;
  std::unique_ptr<Line> line_;
};

// Throws Error: kNoRunner when no tracker answers within timeout_ns, kBadData when it refuses, with its reason;
// kNotAuthorised when it does not let us in or has another key than is known, kBadConfig as ClientSecurity.
TrackerStatus QueryTracker(const std::string& tracker, int64_t timeout_ns = 3'000'000'000, const ClientKeys& keys = {});

// As docs/protocol.md, "Holding and draining" and "Upgrading runners", have it.
struct DeviceCommand {
  std::string command;                       // "hold", "unhold", "drain", "undrain", "upgrade"
  std::string what;                          // a key or a label
  std::string user;                          // who holds; with keys the tracker knows better
  int64_t for_ns = 0;                        // of a hold
  std::string program = {}, signature = {};  // of an upgrade: a file and its minisign signature
};
// The status after it. Throws as QueryTracker.
TrackerStatus CommandTracker(const std::string& tracker, const DeviceCommand& command,
                             int64_t timeout_ns = 3'000'000'000, const ClientKeys& keys = {});

// "login@host" of this process: who it is where no keys tell.
std::string LocalUser();

}  // namespace hone
