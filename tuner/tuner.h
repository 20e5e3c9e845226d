// The tuner's door: searches a model's tasks and keeps every trial. Start here.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "compiler/build.h"
#include "core/measurement.h"
#include "db/record_store.h"
#include "rpc_runner/runner.h"

namespace hone {

// When to stop: whichever comes first. 0: no limit of that kind.
struct Budget {
  int64_t trials = 0;  // measured in this run and, on resume, before
  int64_t time_ns = 0;
};
// "90s", "10m", "2h". Throws Error(kUsage) naming the text; zero is refused.
int64_t ParseDuration(std::string_view text);

struct TuneOptions {
  Target target;
  int threads = 1;
  Budget budget;
  std::string strategy = "evolutionary";
  CacheMode cache = CacheMode::kColdWeights;
  bool exact_math = false;  // no schedule that trades accuracy for speed
  uint64_t seed = 0;
  std::string model;  // for people and for the run's id
};

enum class TuneEventKind : uint8_t { kTrial, kTask, kDone };
struct TuneEvent {
  TuneEventKind kind = TuneEventKind::kTrial;
  std::string task;  // workload text
  int64_t trial = 0;
  Fate fate = Fate::kOk;
  int64_t min_ns = 0, best_ns = 0, default_ns = 0, elapsed_ns = 0;
  std::string schedule, config;
};

struct TaskReport {
  Workload workload;
  int uses = 0;
  int64_t trials = 0, failed = 0;
  int64_t default_ns = 0;  // the analytic default, measured; 0 when it was not
  int64_t best_ns = 0;
  std::string best_schedule, best_config;
  std::string stopped;  // "budget", "plateau", "space spent", "interrupted"
};
struct TuneReport {
  std::vector<TaskReport> tasks;
  int64_t trials = 0, resumed = 0, elapsed_ns = 0;
  double trials_per_second = 0;
  bool interrupted = false;
};

// Tunes the tasks into the store: every trial is recorded before the next decision is made from it, so that a run that
// is killed and started again loses none and repeats none. Returns when the budget is spent, every task is at its
// plateau, or *stop is set. Throws Error(kNoRunner) when the runner is lost for good.
TuneReport Tune(const std::vector<Task>& tasks, const TuneOptions& options, Runner& runner, RecordStore& store,
                const std::function<void(const TuneEvent&)>& observe = nullptr,
                const std::atomic<bool>* stop = nullptr);

}  // namespace hone
