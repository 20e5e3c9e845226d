// Records that their runner doubted after they were stored.
#pragma once

#include <vector>

#include "db/record.h"
#include "db/verdicts/best_lookup.h"

namespace hone {

// The record to store when `record` is doubted. Records never change, so it is stored a second time, noisy and with
// the reason.
Record Doubted(Record record, const std::string& why);

// For each of `rows`, which are of one workload: the row that doubts it, or null. The doubting row is noisy and has
// the same session, schedule, version, config, setup and least time. The pointers are into `rows`.
std::vector<const BestRow*> DoubtedSince(const std::vector<BestRow>& rows);

}  // namespace hone
