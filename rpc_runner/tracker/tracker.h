// Matches tuners with runners and carries what they say to each other. docs/protocol.md describes what travels.
#pragma once

#include <atomic>
#include <string>

#include "rpc_runner/keys/key_options.h"

namespace hone {

struct TrackerOptions {
  std::string bind = "tcp://127.0.0.1:9190";  // port "*" picks a free one
  std::string port_file;                      // when given, the bound address is written there once the tracker serves
  std::string metrics = {};                   // "127.0.0.1:9191": numbers over HTTP there; empty: nowhere
  ServerKeys keys = {};
};
// Serves until *stop is set. Prints "tracker listening on ADDRESS" to stderr. Throws Error: kBadConfig for an address
// that is malformed, or not loopback where there are no keys, and for keys that cannot be trusted (TrackerDoor); kIo
// when an address is taken.
void ServeTracker(const TrackerOptions& options, const std::atomic<bool>* stop);

}  // namespace hone
