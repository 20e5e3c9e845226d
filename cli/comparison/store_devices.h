// The machines that a store has records of, and each one's best records.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "cli/comparison/comparison.h"
#include "db/best_lookup.h"
#include "db/record_store.h"

namespace hone {

// What a device's records say of one workload.
class WorkloadRows {
 public:
  void Add(const TrialRow& row);
  // The record that a build would take (see worth_by_finals.h) among those that are right and not noisy; of a workload
  // that has noisy ones alone the quickest of these, and *noisy is set. Empty when none has a time.
  std::string BestId(bool* noisy) const;
  int trials() const { return trials_; }  // whatever their fate

 private:
  // Rows slower than this many times the least are not kept: no build would take them unless finals threw out every
  // record in between.
  static constexpr double kKept = 1.5;

  std::vector<BestRow> rows_;
  int64_t least_ns_ = 0;
  std::string noisy_id_;
  int64_t noisy_ns_ = 0;
  int trials_ = 0;
};

// ComparedDevice::setup of the row's device.
std::string SetupKey(const TrialRow& row);

struct StoreDevice {
  ComparedDevice device;                                    // without environment, roofs and price
  std::unordered_map<std::string, WorkloadRows> workloads;  // by text
};

// In the order of their first records, of what the query finds. One pass over the store's keys.
std::vector<StoreDevice> DevicesOf(const RecordStore& store, const RecordQuery& query);

}  // namespace hone
