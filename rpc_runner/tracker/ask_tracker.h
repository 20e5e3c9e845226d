// Queries and commands to a tracker.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "rpc_runner/keys/key_paths.h"
#include "rpc_runner/tracker/tracker_status.h"

namespace hone {

// Queries repeatedly over one connection, which reconnects by itself. Used by one thread at a time.
class TrackerConnection {
 public:
  // Throws Error(kBadConfig) as ClientSecurity does.
  TrackerConnection(std::string tracker, const ClientKeys& keys);
  ~TrackerConnection();
  TrackerConnection(const TrackerConnection&) = delete;
  TrackerConnection& operator=(const TrackerConnection&) = delete;

  // Throws as QueryTracker does; it may be called again then.
  TrackerStatus Query(int64_t timeout_ns);

 private:
  struct Line;
  std::string tracker_;
  std::unique_ptr<Line> line_;
};

// Throws Error:
// - kNoRunner if no tracker answers within timeout_ns;
// - kBadData if the tracker refuses the query, with its reason;
// - kNotAuthorised if it refuses this client or has another key than the known one;
// - kBadConfig as ClientSecurity does.
TrackerStatus QueryTracker(const std::string& tracker, int64_t timeout_ns = 3'000'000'000, const ClientKeys& keys = {});
// QueryTracker with TrackerStatus::history. Also throws Error(kNoRunner) if the tracker is too old to keep one.
TrackerStatus QueryHistory(const std::string& tracker, int64_t timeout_ns, const ClientKeys& keys);

// A command of docs/reference/protocol.md, "Holding and draining" or "Upgrading runners".
struct DeviceCommand {
  std::string command;                       // "hold", "unhold", "drain", "undrain", "upgrade"
  std::string what;                          // a key or a label
  std::string user;                          // who holds; with keys, the tracker uses the key's name
  int64_t for_ns = 0;                        // the duration of a hold
  std::string program = {}, signature = {};  // for an upgrade: a file and its minisign signature
};
// Returns the status after the command. Throws as QueryTracker does.
TrackerStatus CommandTracker(const std::string& tracker, const DeviceCommand& command,
                             int64_t timeout_ns = 3'000'000'000, const ClientKeys& keys = {});

// "login@host" of this process: its user if there are no keys.
std::string LocalUser();

}  // namespace hone
