// Tuning histories from a store, read in one pass over its keys. Memory does not grow with the number of trials.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "db/record_store.h"

namespace hone {

// One workload on one device, over all tuning runs.
struct TaskHistory {
  std::string workload, device;  // device has the comparison's name, without places
  int threads = 1;
  int64_t trials = 0;
  int64_t best_ns = 0;  // 0: no trial worked
  // A change of the best so far: the trial's number, ms since the task's first trial, and the time.
  struct Step {
    int64_t trial = 0, since_ms = 0, best_ns = 0;
  };
  std::vector<Step> steps;
  int64_t first_unix_ms = 0, last_unix_ms = 0;
};

struct StoreHistory {
  int64_t records = 0;
  std::vector<TaskHistory> tasks;                        // most trials first
  std::map<std::string, std::map<Fate, int64_t>> fates;  // by device
};

// The history of the workloads in `only`, or of all if it is empty; fates are counted over all records. Times of finals
// are no steps, because finals compare known candidates and find no new ones.
StoreHistory HistoryOf(const RecordStore& store, const std::set<std::string>& only);

}  // namespace hone
