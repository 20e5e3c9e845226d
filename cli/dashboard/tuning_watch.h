// Follows a store's tunings as their records arrive.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "cli/dashboard/watched_store.h"
#include "db/record_store.h"

namespace hone {

// Knows the runs that are running or had a trial lately, at most kMostRuns. Looks cost what arrived since the last one:
// records are read behind the last that was seen, a run's own by their session, and at most kSlice between two locks of
// the store, so that nobody who tunes waits for long. Used by one thread at a time; the store must be the same one each
// time.
class TuningWatch {
 public:
  static constexpr size_t kMostRuns = 64;
  static constexpr int64_t kSlice = 512;

  // Takes in what arrived. False when there is more, because much came at once. Throws what the store throws, and is
  // then to be thrown away.
  bool Look(const RecordStore& store);
  // What is known now. `now_unix_ms` is the time of day: rates are of now, and runs that ended long ago are left out.
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
    std::string json;            // what the store said of the run last
    bool has_new_trials = true;  // since it was asked
  };

  void Begin(const RecordStore& store);
  // Null where no run of the store has the id, or too many are known that have trials now.
  // Of a new one the trials that arrived up to `until` are taken in.
  Followed* RunOf(const RecordStore& store, const std::string& id, int64_t until, int64_t unix_ms);
  bool MakeRoom(int64_t unix_ms);
  static void Take(const TrialRow& row, Followed& followed);
  static void ReadRun(const RecordStore& store, Followed& followed);

  bool begun_ = false;
  int64_t seen_ = 0;  // as RecordStore::Arrived counts
  std::map<std::string, Followed> runs_;
  std::set<std::string> no_runs_;  // ids that records name and the store has no run of
};

}  // namespace hone
