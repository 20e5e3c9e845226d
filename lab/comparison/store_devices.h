// The machines that a store has records of, and the best records of each.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "db/record_store.h"
#include "db/verdicts/best_lookup.h"
#include "lab/comparison/comparison.h"

namespace hone {

// A device's records of one workload.
class WorkloadRows {
 public:
  void Add(const TrialRow& row);
  // The id of the record that a build would use (see worth_by_finals.h), among correct ones that are not noisy. If all
  // are noisy, the quickest of them, and *noisy is set. Empty if none has a time.
  std::string BestId(bool* noisy) const;
  int trials() const { return trials_; }  // with any fate

 private:
  // Rows slower than this multiple of the least are not kept. No build would use them unless finals rejected every
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

// The devices that match the query, in the order of their first records. Reads the store's keys once.
std::vector<StoreDevice> DevicesOf(const RecordStore& store, const RecordQuery& query);

}  // namespace hone
