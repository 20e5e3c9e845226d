// Matches tuners with runners and relays their messages. docs/reference/protocol.md describes the messages.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "rpc_runner/keys/key_paths.h"
#include "rpc_runner/tracker/device_hooks.h"

namespace hone {

struct TrackerOptions {
  std::string bind = "tcp://127.0.0.1:9190";  // port "*" picks a free one
  std::string port_file;                      // if set, gets the bound address once the tracker serves
  std::string metrics = {};                   // an address for numbers over HTTP, as "127.0.0.1:9191"; empty: none
  ServerKeys keys = {};
  DeviceHookCommands hooks = {};
};
// Serves until *stop is set. Prints "tracker listening on ADDRESS" to stderr, and then calls `serving` with the
// address, which has the port's number. Throws Error:
// - kBadConfig for an address that is malformed, or not loopback without keys;
// - kBadConfig for keys that cannot be trusted (TrackerContext);
// - kIo if an address is taken.
void ServeTracker(const TrackerOptions& options, const std::atomic<bool>* stop,
                  const std::function<void(const std::string& address)>& serving = nullptr);

}  // namespace hone
