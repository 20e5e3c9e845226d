// Matches tuners with runners. docs/protocol.md describes what travels.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "core/serialize.h"

namespace hone {

struct TrackerOptions {
  std::string bind = "tcp://127.0.0.1:9190";  // port "*" picks a free one
  std::string port_file;                      // when given, the bound address is written there once the tracker serves
};
// Serves until *stop is set. Prints "tracker listening on ADDRESS" to stderr. Throws Error: kBadConfig for a
// non-loopback address (there are no keys yet), kIo when the address is taken.
void ServeTracker(const TrackerOptions& options, const std::atomic<bool>* stop);

struct RunnerInfo {
  std::string key, label, cpu, features, state, isolation, address;  // state: "free", "busy", "lost"
  std::string llvm_cpu;                                              // empty: not known
  int cores = 0;
  int64_t jobs_done = 0;
};
struct QueueInfo {
  std::string key;
  int waiting = 0;
};
struct TrackerStatus {
  std::vector<RunnerInfo> runners;
  std::vector<QueueInfo> queues;
};
// The JSON of docs/protocol.md, which `hone devices --json` prints as it is.
Json StatusToJson(const TrackerStatus& status);
// Asks a tracker. Throws Error(kNoRunner) when none answers within timeout_ns.
TrackerStatus QueryTracker(const std::string& tracker, int64_t timeout_ns = 3'000'000'000);

}  // namespace hone
