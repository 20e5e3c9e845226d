// How tunings went, out of a store: in one pass over its keys and in memory that does not grow with its trials.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "db/record_store.h"

namespace hone {

// One workload on one device, over all its tuning runs.
struct TaskHistory {
  std::string workload, device;  // device as in the comparison's names, without places
  int threads = 1;
  int64_t trials = 0;
  int64_t best_ns = 0;  // 0: none worked
  // Where the best so far changed: the trial's number, ms since the task's first trial, and the time.
  struct Step {
    int64_t trial = 0, since_ms = 0, best_ns = 0;
  };
  std::vector<Step> steps;
  int64_t first_unix_ms = 0, last_unix_ms = 0;
};

struct StoreHistory {
  int64_t records = 0;
  std::vector<TaskHistory> tasks;                        // with most trials first
  std::map<std::string, std::map<Fate, int64_t>> fates;  // by device
};

// Of the workloads in `only`, or of all where it is empty; fates always of all. Times of finals are no steps: they were
// taken to decide, not to find.
StoreHistory HistoryOf(const RecordStore& store, const std::set<std::string>& only);

}  // namespace hone
