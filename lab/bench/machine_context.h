// The machine's description, as other tools' formats ask for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/measurement.h"

namespace hone {

struct CacheContext {
  std::string type;  // "Data", "Instruction" or "Unified"
  int level = 0;
  int64_t bytes = 0;
  int sharing = 1;  // CPUs that share it
};

// A field that the system does not tell is empty, 0 or nullopt.
struct MachineContext {
  std::string date;  // when it was probed: ISO 8601 in UTC, "2026-11-22T22:09:27+00:00"
  std::string operating_system;
  int cpus = 0;
  int sockets = 0;
  int mhz = 0;
  int64_t memory_bytes = 0;
  std::optional<bool> scaling;  // whether a governor other than "performance" may change clocks
  std::optional<bool> aslr;     // whether addresses are chosen at random
  std::vector<CacheContext> caches;
  std::vector<double> load;  // averages over 1, 5 and 15 minutes
};

// Probes this machine; never fails.
MachineContext ProbeContext(const Environment& environment);
// Describes a runner's machine, of which only the environment is known.
MachineContext ContextOf(const Environment& environment);

// The number of CPUs that other programs use now: what is busy while this one sleeps for a fifth of a second. The load
// average would count hone's own work of the last minutes. A machine that runs one benchmark after another would never
// be quiet.
double BusyCpusNow();

}  // namespace hone
