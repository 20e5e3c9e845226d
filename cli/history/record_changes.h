// What the best records of layers were before a day, and are since.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "cli/diff_records.h"
#include "db/record_store.h"

namespace hone {

// Of these workloads on every device of the query: the best of the records measured before the day against the best of
// those measured since, as DiffRecords tells them. One pass over the store's keys, and the best records are read.
std::vector<RecordDiff> RecordChangesSince(const RecordStore& store, const RecordQuery& devices,
                                           const std::set<std::string>& workloads, int64_t since_ms);
// The same of all records of the query.
std::vector<RecordDiff> RecordChangesSince(const RecordStore& store, const RecordQuery& query, int64_t since_ms);

}  // namespace hone
