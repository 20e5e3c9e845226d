// The entry of the tuner: searches a model's tasks and records every trial. Start here.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/build.h"
#include "core/measurement.h"
#include "core/stats/sample_statistics.h"
#include "db/record_layers.h"
#include "db/record_store.h"
#include "db/setup.h"
#include "rpc_runner/runner.h"

namespace hone {

// The conditions that end a run; the first one met counts. 0: no limit of that kind.
struct Budget {
  int64_t trials = 0;     // measured in this run, before a resume included; finals are not counted
  int64_t time_ns = 0;    // including the finals, which take at most a fifth of it
  double until_gain = 0;  // the search ends when ExpectedGain of 16 more trials of every task is below it
  // A task stops after this many trials that gained less than 1 %. 0: never; absent: 32 to 128 by the size of its
  // space.
  std::optional<int64_t> early_stopping{};
  // The whole time that the user gave, for those who watch, and the part that was over before Tune. 0: time_ns, and
  // none.
  int64_t asked_ns = 0, spent_ns = 0;
};
struct TuneOptions {
  BuildContext context;
  Budget budget;
  std::string strategy = "model";
  CacheMode cache = CacheMode::kColdWeights;
  uint64_t seed = 0;
  std::string model;      // for people and for the run's id
  int64_t images = 0;     // in a run of the model, for those who read the store; 0: not known
  std::string precision;  // for the run's id, if a model of mixed or chosen precision was made: "int8", "auto"
  int64_t runner_patience_ns = 600'000'000'000;  // how long to wait for a machine once none is left
  std::vector<int> cores;  // timing cores of a local runner, which compilers avoid; empty: not known
  // All records that a build looks up and those that it would have looked up before the run (LayersBefore). They must
  // outlive the run. Null: the store's alone.
  const RecordLayers *layers = nullptr, *layers_before = nullptr;
  // The choices of a build of the model before the run, by workload text. They may differ from layers_before's best: a
  // network decides about layouts, and the weights of a small one stay in the cache. Workloads that are missing here
  // are looked up in layers_before.
  std::map<std::string, ConfigChoice> built_before = {};
};

// kWaiting: no machine is left, or one is there again.
enum class TuneEventKind : uint8_t { kTrial, kTask, kDone, kFinals, kWaiting };
struct TuneEvent {
  TuneEventKind kind = TuneEventKind::kTrial;
  std::string task;  // workload text
  int64_t trial = 0;
  Fate fate = Fate::kOk;
  int64_t min_ns = 0, best_ns = 0, default_ns = 0, elapsed_ns = 0;
  std::string schedule, config;
  int runners = 1;   // in use
  std::string why;   // kWaiting: why no machine is in use, empty once one is
  std::string node;  // the model's first node of the task
  // Sums over all tasks of their uses' best and default times; 0 if one is not known.
  int64_t model_ns = 0, model_default_ns = 0;
  int tasks_timed = 0;  // tasks with a best time
};

// The outcome of a task's finals (docs/why/tuning.md).
struct FinalsReport {
  int held = 0;  // number of the finals within this run and task, from 1; 0 = none
  int finalists = 0;
  bool replaced = false;           // the best is not the build's choice before the finals
  MedianInterval best, incumbent;  // of the least samples of their processes, ns
  // Result of the best against the incumbent, or of the fastest challenger if the incumbent is the best.
  double gain = 0, p = 1;
  bool in_model = false;  // finals in the built model chose another best
};

// The commonest failure of a task of which no trial worked.
struct FailureReport {
  Fate fate = Fate::kOk;
  std::string message;  // the commonest message; empty if they had none
  int64_t trials = 0;   // with this fate; 0: a trial worked, or there was none
  bool operator==(const FailureReport&) const = default;
};

struct TaskReport {
  Workload workload;
  std::vector<std::string> nodes;  // of the model
  int uses = 0;
  int64_t trials = 0, failed = 0;
  int64_t seeded = 0;  // proposed because of foreign trials in the store
  FailureReport failure;
  // The config that a build would have taken before the run, and where that knew it from, as in Dispatch ("record",
  // "near, hub", "default"). Its time here; 0 if not measured.
  std::string default_schedule, default_config, default_source = "default";
  int64_t default_ns = 0;
  // The config of the analytic default, and its time here; 0 if not measured.
  std::string analytic_schedule, analytic_config;
  int64_t analytic_ns = 0;
  // The config that a build takes; 0 and empty if nothing worked. Tune reads these and both times above from the
  // records (best_by_records.h).
  int64_t best_ns = 0;
  std::string best_schedule, best_config;
  std::string stopped;  // "budget", "plateau", "until-gain", "space spent", "interrupted", "no runner"
  FinalsReport finals;  // if held, the best is their winner, with their times
  // Whether a kernel of the task ran and was right, in this run or another one.
  bool measured() const { return best_ns > 0 || trials > failed; }
};
// The parts of a call's wall time. The rest (see other_ns) is overhead: inputs, processes, search, store.
struct TuneCosts {
  int64_t compile_ns = 0;  // time that measuring waited for the compiler
  int64_t verify_ns = 0;   // references, checks before and after the timing
  int64_t timing_ns = 0;
  int64_t other_ns(int64_t elapsed_ns) const { return elapsed_ns - compile_ns - verify_ns - timing_ns; }
  // These parts, made smaller where they overlap, so that together they are at most `elapsed_ns`. Machines may work
  // while measuring waits for the compiler, which counts first.
  TuneCosts Within(int64_t elapsed_ns) const;
};
struct TuneReport {
  Setup setup;  // in which it was measured
  std::vector<TaskReport> tasks;
  int64_t trials = 0, resumed = 0, elapsed_ns = 0;
  double trials_per_second = 0;  // during the search
  int64_t finals_ns = 0;         // time of the finals, part of elapsed_ns
  double peak_gflops = 0;        // multiply-adds reached by the runner's machine on the run's threads; 0: not known
  bool interrupted = false;
  int64_t not_judged = 0;  // candidates not judged because of a failure of the machine; not counted as trials
  int64_t to_heal = 0;     // records of the store that do not count: they blame candidates for the machine's failure
  std::string trouble;     // reason of the last of not_judged; empty if none
  int64_t unanswered = 0;  // jobs that no runner had answered when the run ended
  std::string no_runner;   // why the run ended without a machine; empty otherwise
  TuneCosts costs;
};

// Tunes the tasks into the store. Every trial is recorded before a decision is made from it, so a run that is killed
// and started again loses none and repeats none. Returns when the budget is spent, every task is at its plateau, or
// *stop is set, or no machine was left for runner_patience_ns. Throws Error(kNoRunner) when the runner's answers say
// that it is of no use.
TuneReport Tune(const std::vector<Task>& tasks, const TuneOptions& options, Runner& runner, RecordStore& store,
                const std::function<void(const TuneEvent&)>& observe = nullptr,
                const std::atomic<bool>* stop = nullptr);

// The run that Tune begins or continues. Its id is a content hash of model, target, threads, math, strategy, seed and
// cache mode. Precision and weights are included if they are not float32. The same request with any budget is the same
// run and continues it. The state is "running".
TuningRun MakeTuningRun(const TuneOptions& options);

// The run with its tasks added to its json: each task's workload, its first node in the model, the number of its uses
// there and the config that a build would have taken before; and the images of a run, if known. The id stays.
TuningRun WithTasks(TuningRun run, const std::vector<TaskReport>& tasks, int64_t images);

}  // namespace hone
