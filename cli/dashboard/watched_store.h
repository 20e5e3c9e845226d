// What a dashboard knows of a store: its tunings that run or ended lately, and who measured for them.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "core/measurement.h"

namespace hone {

// How many trials were measured in the last while, by their own labels of time.
class TrialRate {
 public:
  static constexpr int64_t kWindowMs = 30'000;

  void Count(int64_t unix_ms);
  // A second, over the window before the newest trial; 0 when that is older than the window, or there are fewer than
  // two.
  double PerSecond(int64_t now_unix_ms) const;

 private:
  std::deque<int64_t> times_;  // at most kMost, the newest last
};

// One workload of one tuning run.
struct WatchedTask {
  std::string workload;
  int64_t uses = 0;  // by the model; 0: the run does not say
  int64_t trials = 0, failed = 0;
  int64_t first_ns = 0, best_ns = 0;  // of trials that were right and quiet; 0: none yet
  std::string schedule, config;       // of the best
  int64_t finals = 0;                 // records of finals
};

// Where measuring was done: of one run, or over those that are watched.
struct WatchedDevice {
  std::string machine, runner;  // MachineName and RunnerName
  int64_t trials = 0, failed = 0, noisy = 0;
  int64_t last_unix_ms = 0;
  double per_second = 0;
};

struct WatchedRun {
  std::string id, model, target, strategy;
  std::string state;  // as TuningRun's; "silent" when it never said that it ended and has no trials any more
  int threads = 1;
  std::vector<WatchedTask> tasks;  // in the model's order, where the run says it
  int64_t trials = 0, failed = 0;
  int64_t first_unix_ms = 0, last_unix_ms = 0;  // of its trials; 0: none
  // The whole model's best so far: ms since the first trial, and ModelNs. At most kMostSteps.
  std::vector<std::pair<int64_t, int64_t>> steps;
  double per_second = 0;

  static constexpr size_t kMostSteps = 64;
  // Sum over tasks of uses x best; 0 until every task has a best, and where uses are not known.
  int64_t ModelNs() const;
  // The same of each task's first time, which is the analytic default's.
  int64_t FirstModelNs() const;
  // Tasks that have a best.
  int64_t TasksTimed() const;
  // Notes where the whole model stands. Of too many steps every other one is left out.
  void NoteStep(int64_t unix_ms);
};

struct WatchedStore {
  int64_t arrived = 0;                 // as RecordStore::Arrived counts
  std::vector<WatchedRun> runs;        // those that are running first, of these the last begun
  std::vector<WatchedDevice> devices;  // by name
};

}  // namespace hone
