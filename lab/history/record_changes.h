// Compares the best records of layers before and since a day.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "db/record_store.h"
#include "lab/records/diff_records.h"

namespace hone {

// Compares the best records measured before the day with the best since, for these workloads on every device of the
// query, as DiffRecords does. Reads the store's keys once, and the best records.
std::vector<RecordDiff> RecordChangesSince(const RecordStore& store, const RecordQuery& devices,
                                           const std::set<std::string>& workloads, int64_t since_ms);
// Does so for all workloads of the query.
std::vector<RecordDiff> RecordChangesSince(const RecordStore& store, const RecordQuery& query, int64_t since_ms);

}  // namespace hone
