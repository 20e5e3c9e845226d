// What the tuning loop needs from the world besides runner and store; tests bring their own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/compile_kernel.h"
#include "compiler/schedules/schedule.h"

namespace hone {

struct TuneTools {
  std::function<std::variant<Artifact, Rejection>(const Candidate&)> compile;
  std::function<Artifact(const Workload&, const Target&)> reference;
  std::function<int64_t()> now_ns;   // steady
  std::function<int64_t()> unix_ms;  // for labels
  std::function<void(int64_t ns)> sleep;
  std::string llvm_version;                // for records
  std::vector<const Schedule*> schedules;  // empty: those of SchedulesFor
  // Compile the next batch while this one is timed. Right only where compiling does not disturb the timing.
  bool overlap = false;
  // Threads that call compile and reference at once; both must be thread-safe when there are several.
  int compile_workers = 1;
};

// The compiler, the system's clocks, no overlap.
TuneTools RealTuneTools();

}  // namespace hone
