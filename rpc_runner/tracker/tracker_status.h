// What a tracker tells about itself: who is there, who has whom, who waits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/serialize.h"

namespace hone {

struct RunnerInfo {
  std::string key, label, cpu, features;
  // "free", "busy", "drained" (free, but takes no lease), "quarantined" or "probation" (likewise), "lost"
  std::string state;
  std::string isolation;
  std::string address;        // where it can be dialled; empty: it dials out only
  std::string llvm_cpu = {};  // empty: not known
  int cores = 0;
  std::string core_kind = {};  // Environment's
  int64_t jobs_done = 0;
  std::string holder = {};   // who has leased it, for people; empty: nobody, or not known
  std::string held_by = {};  // for whom it is held; empty: for nobody
  int64_t held_ns = 0;       // for how long still
  bool drained = false;      // takes no new lease
  int64_t leased_ns = -1;    // for how long the lease has been; -1: it has none
  std::string health = {};   // what speaks against the device; empty: nothing
  std::string roofs = {};    // RoofsText; empty: not told
  std::string version = {};  // of its hone-runner, and its file's SHA-256; empty: not told
  std::string program = {};
  std::string wanted = {};        // the program that it is to become; empty: none
  std::string not_upgraded = {};  // why it did not become what was wanted last
};
// Of one key.
struct QueueInfo {
  std::string key;
  int waiting = 0;               // tuners that have none
  std::vector<std::string> who;  // for people, in the order of being served, at most 16
};
struct TrackerStatus {
  std::vector<RunnerInfo> runners;
  std::vector<QueueInfo> queues;
};
// The JSON of docs/protocol.md, which `hone devices --json` prints as it is.
Json StatusToJson(const TrackerStatus& status);
// Throws Error(kBadData). What an older tracker leaves out keeps its default.
TrackerStatus StatusFromJson(const Json& json);

}  // namespace hone
