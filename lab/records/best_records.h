// Selects the best of many records.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "db/record.h"
#include "db/record_store.h"
#include "db/verdicts/best_lookup.h"

namespace hone {

// The setup of a record: machine, target CPU and features, threads and cache mode. Two records with one key compare. A
// machine without a fingerprint is known by its name.
std::string SetupKey(const TrialRow& row);

// The records of one workload in one setup: their places in the order of arrival.
class SetupTrials {
 public:
  void Add(const TrialRow& row) { places_.push_back(row.seq); }
  bool Has(const BestRow& row) const;
  // With any fate, finals included.
  int64_t records() const { return static_cast<int64_t>(places_.size()); }
  // The record that a build for this setup takes (db/verdicts/best_in_setup.h); nullopt if none may be used. `rows` are
  // those of RecordStore::Rows for the workload.
  std::optional<BestRow> Best(const std::vector<BestRow>& rows) const;
  // The quickest right record that is noisy; nullopt if there is none.
  std::optional<BestRow> Noisy(const std::vector<BestRow>& rows) const;

 private:
  std::vector<int64_t> places_;  // rising
};

// The best record per workload and setup: the one that a build for this setup would use (db/verdicts/best_in_setup.h).
// None timed under an emulator is returned, because such times say nothing. `records` are in the order of arrival, with
// those that failed, because these speak against others. Times of different cache modes are never compared. The result
// is sorted by workload, then setup.
std::vector<Record> BestOf(const std::vector<Record>& records);

// The ids of the best among a store's records that match the query, in the order of BestOf. The query's fate is
// ignored, because failed records speak against others. Memory holds only the keys of one workload's records at a time.
std::vector<std::string> BestIds(const RecordStore& store, const RecordQuery& query);

// Workloads of which the query may find records, sorted.
std::vector<std::string> WorkloadsOf(const RecordStore& store, const RecordQuery& query);

}  // namespace hone
