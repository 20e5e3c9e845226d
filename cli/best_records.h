// The best of many records.
#pragma once

#include <string>
#include <vector>

#include "db/record.h"
#include "db/record_store.h"

namespace hone {

// One record per workload, machine, target CPU, thread count and cache mode: the one that a
// build would take (see worth_by_finals.h) among those that are right, not noisy and not timed under an emulator, whose
// times say nothing. The records come in the order of arrival. Times of different cache modes are never compared.
// Sorted by workload, then machine.
std::vector<Record> BestOf(const std::vector<Record>& records);

// The ids of the same among a store's records that fit the query, in the same order. Of the store no more is held than
// the keys of one workload's records.
std::vector<std::string> BestIds(const RecordStore& store, const RecordQuery& query);

// The workloads that the query may find records of, sorted.
std::vector<std::string> WorkloadsOf(const RecordStore& store, const RecordQuery& query);

}  // namespace hone
