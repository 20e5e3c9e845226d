// The tuner's door: searches a model's tasks and keeps every trial. Start here.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/build.h"
#include "core/measurement.h"
#include "core/median_interval.h"
#include "db/record_store.h"
#include "rpc_runner/runner.h"

namespace hone {

// When to stop: whichever comes first. 0: no limit of that kind.
struct Budget {
  int64_t trials = 0;     // measured in this run and, on resume, before; finals come after them
  int64_t time_ns = 0;    // finals take their share of it, at most a fifth
  double until_gain = 0;  // the search ends when ExpectedGain of 16 more trials of every task is below this share
  // A task stops after so many trials that gained less than 1 %; 0: never, absent: 32 to 128 by the size of its space.
  std::optional<int64_t> early_stopping{};
};
struct TuneOptions {
  BuildContext context;
  Budget budget;
  std::string strategy = "model";
  CacheMode cache = CacheMode::kColdWeights;
  uint64_t seed = 0;
  std::string model;       // for people and for the run's id
  std::string precision;   // likewise, where a model of several precisions or of another was made: "int8", "auto"
  std::vector<int> cores;  // that a local runner times on, so that compilers keep off them; empty: not known
};

enum class TuneEventKind : uint8_t { kTrial, kTask, kDone, kFinals };
struct TuneEvent {
  TuneEventKind kind = TuneEventKind::kTrial;
  std::string task;  // workload text
  int64_t trial = 0;
  Fate fate = Fate::kOk;
  int64_t min_ns = 0, best_ns = 0, default_ns = 0, elapsed_ns = 0;
  std::string schedule, config;
  int runners = 1;  // in use
};

// What a task's finals decided (docs/tuning.md).
struct FinalsReport {
  int held = 0;  // the how manieth of this run and task; 0: there were none
  int finalists = 0;
  bool replaced = false;           // the best is not what a build took before
  MedianInterval best, incumbent;  // of their processes' least samples, ns
  double gain = 0, p = 1;  // of the best, or where nobody was better of the fastest challenger, against the incumbent
};

// How most trials of a task failed of which none worked.
struct FailureReport {
  Fate fate = Fate::kOk;
  std::string message;  // that most of them had; empty when they had none
  int64_t trials = 0;   // of this fate; 0: a trial worked, or there was none
  bool operator==(const FailureReport&) const = default;
};

struct TaskReport {
  Workload workload;
  int uses = 0;
  int64_t trials = 0, failed = 0;
  int64_t seeded = 0;  // proposed by foreign trials of the store
  FailureReport failure;
  int64_t default_ns = 0;  // the analytic default, measured; 0 when it was not
  int64_t best_ns = 0;
  std::string best_schedule, best_config;
  std::string stopped;  // "budget", "plateau", "until-gain", "space spent", "interrupted"
  FinalsReport finals;  // when they were held, the best is their winner and the times are of them
  // Whether a kernel of it ran and was right, in this run or another one.
  bool measured() const { return best_ns > 0 || trials > failed; }
};
// Where a call's wall time went. The rest (see other_ns) is overhead: inputs, processes, search, store.
struct TuneCosts {
  int64_t compile_ns = 0;  // that measuring waited for the compiler
  int64_t verify_ns = 0;   // references, checks before and after the timing
  int64_t timing_ns = 0;
  int64_t other_ns(int64_t elapsed_ns) const { return elapsed_ns - compile_ns - verify_ns - timing_ns; }
};
struct TuneReport {
  std::vector<TaskReport> tasks;
  int64_t trials = 0, resumed = 0, elapsed_ns = 0;
  double trials_per_second = 0;  // of the search
  int64_t finals_ns = 0;         // that the finals took, of elapsed_ns
  double peak_gflops = 0;        // multiply-adds that the runner's machine reached on the run's threads; 0: not known
  bool interrupted = false;
  int64_t not_judged = 0;  // candidates that the machine's trouble kept from being judged; they are no trials
  int64_t to_heal = 0;  // records of the store that do not count, for they blame candidates for the machine's trouble
  std::string trouble;  // what was the matter with the last one of them; empty without one
  int64_t unanswered = 0;  // jobs that no runner had answered when the budget ended
  TuneCosts costs;
};

// Tunes the tasks into the store: every trial is recorded before the next decision is made from it, so that a run that
// is killed and started again loses none and repeats none. Returns when the budget is spent, every task is at its
// plateau, or *stop is set. Throws Error(kNoRunner) when the runner is lost for good.
TuneReport Tune(const std::vector<Task>& tasks, const TuneOptions& options, Runner& runner, RecordStore& store,
                const std::function<void(const TuneEvent&)>& observe = nullptr,
                const std::atomic<bool>* stop = nullptr);

}  // namespace hone
