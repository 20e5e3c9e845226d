// The tuning loop's external functions besides runner and store. Tests provide their own.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/compile_kernel.h"
#include "compiler/schedules/schedule.h"
#include "core/build_context.h"
#include "core/candidate.h"
#include "db/verdicts/best_lookup.h"

namespace hone {

// The times for which the tuner waits for a runner.
struct RunnerWaits {
  static constexpr int64_t kLookNs = 100'000'000;         // between looks at the stop flag and the budget during a job
  static constexpr int64_t kNoSlotNs = 20'000'000;        // between looks for a slot while nothing runs
  static constexpr int64_t kPatienceNs = 60'000'000'000;  // for a runner that takes no jobs
  static constexpr int64_t kCheckHealthNs = 1'000'000'000;  // for machines to run their golden kernels once more
  // For jobs under way once nothing more is submitted. A lost machine must not keep a run from ending.
  static constexpr int64_t kAfterHaltNs = 2'000'000'000;
};

struct TuneTools {
  std::function<std::variant<Artifact, Rejection>(const Candidate&)> compile;
  std::function<Artifact(const Workload&, const Target&)> reference;
  std::function<int64_t()> now_ns;   // steady clock
  std::function<int64_t()> unix_ms;  // for labels
  std::function<void(int64_t ns)> sleep;
  std::string llvm_version;                // for records
  std::vector<const Schedule*> schedules;  // empty: those of SchedulesFor
  // The records of a workload that a build looks up, in the order of arrival; null: those of the store.
  std::function<std::vector<BestRow>(const std::string& workload)> rows;
  // The choice of a build before the run, nullopt for the analytic default; null: always that.
  std::function<std::optional<ConfigChoice>(const Workload& workload)> before;
  // Compiles the next batch while this one is timed. Set it only if compiling does not disturb the timing.
  bool overlap = false;
  // The number of threads that call compile and reference at once; both must be thread-safe if there are several.
  int compile_workers = 1;
};

// The compiler and the system's clocks, without overlap.
TuneTools RealTuneTools();

// The schedules to search for the workload; with exact math only those that are exact.
std::vector<const Schedule*> SchedulesOf(const TuneTools& tools, const Workload& workload, const BuildContext& context);

}  // namespace hone
