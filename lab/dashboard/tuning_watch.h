// Follows a store's tuning runs as their records arrive.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "db/record_store.h"
#include "lab/dashboard/watched_store.h"

namespace hone {

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
