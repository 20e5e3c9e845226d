// Follows a store's tuning runs as their records arrive.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/measurement.h"
#include "db/record_store.h"

namespace hone {

// A dashboard's view of a store: its running or recently ended tuning runs, and the devices that measured for them.

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

// Knows the runs that are running or had a trial lately, at most kMostRuns. A look costs time for new records only:
// those after the last one seen, and a new run's by their session. It reads at most kSlice records between two locks of
// the store, so that tuners do not wait long. Not thread-safe; the store must be the same one each time.
class TuningWatch {
 public:
  static constexpr size_t kMostRuns = 64;
  static constexpr int64_t kSlice = 512;

  // Reads what arrived. Returns false if there is more. Throws what the store throws; the watch must then be discarded.
  bool Look(const RecordStore& store);
  // The present state. `now_unix_ms` is the time of day: rates are relative to it, and runs that ended long before it
  // are left out.
  WatchedStore State(int64_t now_unix_ms) const;

 private:
  struct MeasuringDevice {
    WatchedDevice device;
    TrialRate rate;
  };
  struct Followed {
    WatchedRun run;
    TrialRate rate;
    std::map<std::string, size_t> task_of;  // by workload
    std::map<std::pair<std::string, std::string>, MeasuringDevice> devices;
    std::string json;            // the run as the store described it last
    bool has_new_trials = true;  // since the store was asked
  };

  void Begin(const RecordStore& store);
  // Null if the store has no run with the id, or if the known runs with recent trials leave no room. For a new run it
  // reads the trials that arrived up to `until`.
  Followed* RunOf(const RecordStore& store, const std::string& id, int64_t until, int64_t unix_ms);
  bool MakeRoom(int64_t unix_ms);
  static void Take(const TrialRow& row, Followed& followed);
  static void ReadRun(const RecordStore& store, Followed& followed);

  bool begun_ = false;
  int64_t seen_ = 0;  // as RecordStore::Arrived counts
  std::map<std::string, Followed> runs_;
  std::set<std::string> no_runs_;  // ids in records without a run in the store
};

}  // namespace hone
