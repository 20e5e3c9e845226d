// Follows a store's tuning runs as their records arrive.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/measurement.h"
#include "db/record_store.h"
#include "db/verdicts/best_lookup.h"

namespace hone {

// A dashboard's view of a store: its running or recently ended tuning runs, and the devices that measured for them.

// Rate of recently measured trials, by the trials' own timestamps.
class TrialRate {
 public:
  static constexpr int64_t kWindowMs = 30'000;
  static constexpr int64_t kLeastSpanMs = 1'000;  // refused trials come many at a time

  void Count(int64_t unix_ms);
  // Trials per second over the window before the newest trial, or over kLeastSpanMs if they span less. 0 if that trial
  // is older than the window, or if there are fewer than two.
  double PerSecond(int64_t now_unix_ms) const;

 private:
  std::deque<int64_t> times_;  // at most kMost, newest last
};

// One workload of one tuning run.
struct WatchedTask {
  std::string workload;
  int64_t uses = 0;  // in the model; 0: the run does not say
  int64_t trials = 0, failed = 0;
  // The time of what a build would have taken before the run; of the first right and quiet trial if the run does not
  // say or that has no time; 0: none yet.
  int64_t first_ns = 0;
  // The best in the run's setup, as a build finds it (db/verdicts/best_in_setup.h), whichever run measured it; 0: none
  // yet.
  int64_t best_ns = 0;
  std::string schedule, config;
  int64_t finals = 0;                  // records of finals
  std::map<Fate, int64_t> fates = {};  // of failed trials
  // Some of the timed trials: number and time. At most kMostPoints.
  std::vector<std::pair<int64_t, int64_t>> points = {};
  // The least time with each value of each knob, by schedule.
  std::map<std::string, std::map<std::string, std::map<int64_t, int64_t>>> knobs = {};
  // The config that a build would have taken before; empty: the run does not say.
  std::string default_schedule = "", default_config = "";
  int64_t first_since_ms = 0;  // ms from the run's first trial until first_ns was known
  std::string node = "";       // the model's first node of it; empty: the run does not say

  static constexpr size_t kMostPoints = 160;
  // Its name for people: the node, else the workload.
  const std::string& Name() const { return node.empty() ? workload : node; }
  // Notes a correct trial that is not noisy. If there are too many points, every other one is dropped.
  void NotePoint(int64_t ns, const std::string& of_schedule, const std::string& of_config);
  // The knobs of the best schedule that had several values, the one that matters most first. The number is the least
  // time with the knob's worst value over that with its best one.
  std::vector<std::pair<std::string, double>> KnobsThatMatter() const;
};

// A device that measured, for one run or for all watched runs. It counts every attempt at a trial.
struct WatchedDevice {
  std::string machine, runner;  // MachineName and RunnerName
  int64_t measured = 0, failed = 0, noisy = 0;
  int64_t last_unix_ms = 0;
  double per_second = 0;
};

struct WatchedRun {
  std::string id, model, target, strategy;
  std::string state;       // as TuningRun's; "silent" if it has no new trials and never ended
  bool has_ended = false;  // as the run itself says
  int threads = 1;
  std::vector<WatchedTask> tasks;               // in the model's order, if the run states it
  int64_t trials = 0, failed = 0;               // of several attempts at one the last counts, as in `hone tune`
  int64_t first_unix_ms = 0, last_unix_ms = 0;  // of its trials; 0: none
  // The gain over time: ms since the first trial, and the sum over tasks of uses x (first - best). At most
  // kMostSteps.
  std::vector<std::pair<int64_t, int64_t>> gains;
  double per_second = 0;            // 0 unless it is running
  std::set<std::string> keys = {};  // of the runners that measured for it
  // As the run was asked for; 0: not limited, or the run does not say.
  int64_t budget_trials = 0, budget_ms = 0;
  int64_t begun_unix_ms = 0;   // of this attempt; 0: unknown
  int64_t budget_left_ms = 0;  // of a running run's budget_ms; 0: none, or unknown

  static constexpr size_t kMostSteps = 64;
  // Sum over tasks of uses x best; 0 until every task has a best, or if uses are unknown.
  int64_t ModelNs() const;
  // Like ModelNs with each task's first time.
  int64_t FirstModelNs() const;
  // Number of tasks with a best.
  int64_t TasksTimed() const;
  // The model's time from the first trial on: ms since then, and ns. A task counts with its first time before it had
  // one, and not at all while it has none. Empty if no task was timed, or if uses are unknown.
  std::vector<std::pair<int64_t, int64_t>> Curve() const;
  // Appends what was gained. If there are too many entries, every other one is dropped.
  void NoteGain(int64_t unix_ms);
  // Sets a task's first time. Earlier gains of the task are counted from it, too.
  void SetFirst(WatchedTask& task, int64_t ns, int64_t unix_ms);
};

struct WatchedStore {
  int64_t arrived = 0;                 // as RecordStore::Arrived counts
  std::vector<WatchedRun> runs;        // running ones first, latest begun first
  std::vector<WatchedDevice> devices;  // by name
};

// Knows the runs that are running or had a trial lately, at most kMostRuns. A look costs time for new records only:
// those after the last one seen, and a new run's by their session. A task's records are asked again only when its best
// may have changed. It reads at most kSlice records between two locks of
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
    int lost_in_a_row = 0;  // trials since the last one with another fate than RunnerLost
    // Whether the last attempt failed, by hash of workload and candidate: a trial that was noisy is measured again.
    std::unordered_map<size_t, bool> attempts;
    std::string json;            // the run as the store described it last
    bool has_new_trials = true;  // since the store was asked
    std::set<size_t> unsettled;  // tasks whose best may be another since the records were asked
  };

  void Begin(const RecordStore& store);
  // Null if the store has no run with the id, or if the known runs with recent trials leave no room. For a new run it
  // reads the trials that arrived up to `until`.
  Followed* RunOf(const RecordStore& store, const std::string& id, int64_t until, int64_t unix_ms);
  bool MakeRoom(int64_t unix_ms);
  static void Take(const TrialRow& row, Followed& followed);
  static void Count(const TrialRow& row, Followed& followed);
  static void Unsettle(const TrialRow& row, Followed& followed);
  using RowsByWorkload = std::map<std::string, std::vector<BestRow>>;
  static void Settle(const RecordStore& store, Followed& followed, RowsByWorkload& known);
  static void ReadRun(const RecordStore& store, Followed& followed);

  bool begun_ = false;
  int64_t seen_ = 0;  // as RecordStore::Arrived counts
  std::map<std::string, Followed> runs_;
  std::set<std::string> no_runs_;  // ids in records without a run in the store
};

}  // namespace hone
