// Records whose kernel failed after they were measured.
#pragma once

#include <vector>

#include "db/best_lookup.h"

namespace hone {

// For each of `rows`, which are of one workload: the failed row that speaks against it, or null. A row is spoken
// against by one of the same schedule, version and config that arrived later and failed where the row was measured, or
// where the build is for (machine, threads and code of either). What counts is a failure of the kernel: it was
// rejected, crashed, or computed something else; that time or memory did not suffice counts in finals alone, where
// every kernel had its turns; a failure that blames it for the machine's trouble never counts. A failure is void when
// another session has seen the kernel work there since. The pointers are into `rows`.
std::vector<const BestRow*> FailedSince(const std::vector<BestRow>& rows, const BestWanted& wanted);

}  // namespace hone
