// A dashboard's view of a store: its running or recently ended tuning runs, and the devices that measured for them.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "core/measurement.h"

namespace hone {

// Rate of recently measured trials, by the trials' own timestamps.
class TrialRate {
 public:
  static constexpr int64_t kWindowMs = 30'000;

  void Count(int64_t unix_ms);
  // Trials per second over the window before the newest trial. 0 if that trial is older than the window, or if there
  // are fewer than two.
  double PerSecond(int64_t now_unix_ms) const;

 private:
  std::deque<int64_t> times_;  // at most kMost, newest last
};

// One workload of one tuning run.
struct WatchedTask {
  std::string workload;
  int64_t uses = 0;  // in the model; 0: the run does not say
  int64_t trials = 0, failed = 0;
  int64_t first_ns = 0, best_ns = 0;  // of correct trials that are not noisy; 0: none yet
  std::string schedule, config;       // of the best
  int64_t finals = 0;                 // records of finals
};

// A device that measured, for one run or for all watched runs.
struct WatchedDevice {
  std::string machine, runner;  // MachineName and RunnerName
  int64_t trials = 0, failed = 0, noisy = 0;
  int64_t last_unix_ms = 0;
  double per_second = 0;
};

struct WatchedRun {
  std::string id, model, target, strategy;
  std::string state;  // as TuningRun's; "silent" if it has no new trials and never ended
  int threads = 1;
  std::vector<WatchedTask> tasks;  // in the model's order, if the run states it
  int64_t trials = 0, failed = 0;
  int64_t first_unix_ms = 0, last_unix_ms = 0;  // of its trials; 0: none
  // The whole model's best over time: ms since the first trial, and ModelNs. At most kMostSteps.
  std::vector<std::pair<int64_t, int64_t>> steps;
  double per_second = 0;

  static constexpr size_t kMostSteps = 64;
  // Sum over tasks of uses x best; 0 until every task has a best, or if uses are unknown.
  int64_t ModelNs() const;
  // Like ModelNs with each task's first time, which is the analytic default's.
  int64_t FirstModelNs() const;
  // Number of tasks with a best.
  int64_t TasksTimed() const;
  // Appends the whole model's state to the steps. If there are too many steps, every other one is dropped.
  void NoteStep(int64_t unix_ms);
};

struct WatchedStore {
  int64_t arrived = 0;                 // as RecordStore::Arrived counts
  std::vector<WatchedRun> runs;        // running ones first, latest begun first
  std::vector<WatchedDevice> devices;  // by name
};

}  // namespace hone
