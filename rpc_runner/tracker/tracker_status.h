// The status that a tracker reports: its runners, their holders and the waiting clients.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/json/serialize.h"

namespace hone {

// A runtime that a runner offers, and what its adapter says that it is: "onnxruntime", "ONNX Runtime", "1.32.0".
struct OfferedName {
  std::string runtime, name, version;
};

struct RunnerInfo {
  std::string key, label, cpu, features;
  // "free", "busy", "lost"; "drained", "quarantined" and "probation" are free but not available for a lease.
  std::string state;
  std::string isolation;
  std::string address;        // where it accepts connections; empty: it only connects out
  std::string llvm_cpu = {};  // empty: unknown
  int cores = 0;
  std::string core_kind = {};  // Environment's
  int64_t jobs_done = 0;
  std::string holder = {};   // who has leased it, for people; empty: nobody, or unknown
  std::string held_by = {};  // the user for whom it is held; empty: none
  int64_t held_ns = 0;       // the remaining time of the hold
  bool drained = false;      // whether it takes no new lease
  int64_t leased_ns = -1;    // the age of its lease; -1: it has none
  std::string health = {};   // why the device is in doubt; empty if it is not
  std::string roofs = {};    // RoofsText; empty: not told
  std::string version = {};  // of its hone-runner, and its file's SHA-256; empty: not told
  std::string program = {};
  std::vector<OfferedName> runtimes = {};  // other runtimes than hone that it offers
  std::string wanted = {};                 // the program that it should be upgraded to; empty: none
  std::string not_upgraded = {};           // why the last upgrade failed
};
// The waiting clients of one key.
struct QueueInfo {
  std::string key;
  int waiting = 0;               // tuners that have no runner
  std::vector<std::string> who;  // their names for people, in the order of service, at most 16
};
// When a device was there. States are "there", "quarantined", "probation", "lost" and "left" (it said bye).
struct DeviceAvailability {
  std::string key, label;
  int64_t known_ms = 0;  // since the tracker first knew it, without times in which it had left
  int64_t there_ms = 0;  // of these, in which it could be leased or was
  struct Since {
    int64_t at_ms = 0;  // since 1970
    std::string state;
  };
  std::vector<Since> states = {};  // the newest 64, the oldest first
};
struct TrackerStatus {
  std::vector<RunnerInfo> runners;
  std::vector<QueueInfo> queues;
  std::optional<std::vector<DeviceAvailability>> history = {};  // if it was asked for and the tracker keeps it
};
// The JSON of docs/reference/protocol.md, which `hone devices --json` prints unchanged.
Json StatusToJson(const TrackerStatus& status);
// Throws Error(kBadData). Fields that an older tracker leaves out keep their defaults.
TrackerStatus StatusFromJson(const Json& json);

}  // namespace hone
