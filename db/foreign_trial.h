// A measurement by another tuner of a workload that hone knows.
#pragma once

#include <cstdint>
#include <string>

#include "core/config_space.h"
#include "core/measurement.h"

namespace hone {

// A starting point, never a record. Its machine and timing method are not known, so no build uses it and no best is
// chosen from it. Immutable, named by its line.
struct ForeignTrial {
  std::string id;        // first 16 hex digits of the SHA-256 of `line`
  std::string format;    // "autotvm-0.2"
  std::string source;    // the file that it came from, a label
  std::string target;    // as its tuner wrote it: "llvm -mcpu=skylake-avx512"
  std::string task;      // its tuner's name of the schedule: "conv2d_NCHWc.x86"
  std::string workload;  // Workload text; without epilogue and prologue, which the other tuner does not tell
  std::string schedule;  // in hone's names
  Config config;         // its knobs in hone's schedule, without those that have no meaning there
  Fate fate = Fate::kOk;
  int64_t cost_ns = 0;  // mean, as its tuner computes it; 0 when it failed
  int64_t unix_ms = 0;  // a label
  std::string line;     // as it was read, complete
  bool operator==(const ForeignTrial&) const = default;
};

}  // namespace hone
