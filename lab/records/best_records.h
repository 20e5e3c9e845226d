// Selects the best of many records.
#pragma once

#include <string>
#include <vector>

#include "db/record.h"
#include "db/record_store.h"

namespace hone {

// The best record per workload, machine, target CPU, thread count and cache mode: the one that a build would use (see
// row_verdicts.h). Only correct records that are not noisy count, and none timed under an emulator, whose times say
// nothing. `records` are in the order of arrival. Times of different cache modes are never compared. The result is
// sorted by workload, then machine.
std::vector<Record> BestOf(const std::vector<Record>& records);

// The ids of the best among a store's records that match the query, in the order of BestOf. Memory holds only the keys
// of one workload's records at a time.
std::vector<std::string> BestIds(const RecordStore& store, const RecordQuery& query);

// Workloads of which the query may find records, sorted.
std::vector<std::string> WorkloadsOf(const RecordStore& store, const RecordQuery& query);

}  // namespace hone
