// Records that their runner did not believe any more once they were kept.
#pragma once

#include <vector>

#include "db/best_lookup.h"
#include "db/record.h"

namespace hone {

// A record is never changed: one that is doubted is kept a second time, noisy and with the reason. This is that one.
Record Doubted(Record record, const std::string& why);

// For each of `rows`, which are of one workload: the row that doubts it, or null. That one says the same (session,
// schedule, version, config, setup and least time) and is noisy. The pointers are into `rows`.
std::vector<const BestRow*> DoubtedSince(const std::vector<BestRow>& rows);

}  // namespace hone
