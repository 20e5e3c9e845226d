// Records whose kernel failed after they were measured.
#pragma once

#include <vector>

#include "db/verdicts/best_lookup.h"

namespace hone {

// For each of `rows`, which are of one workload: the failed row that speaks against it, or null. Such a row has the
// same schedule, version and config, and arrived later. It failed where the row was measured or where the build is for
// (same machine, threads and code). Only a failure of the kernel counts: it was rejected, crashed or computed
// something else. Timeouts and lack of memory count only in finals, where every kernel had its turns. A failure that
// blames the kernel for the machine's trouble never counts. A failure is void if another session later saw the kernel
// work there. The pointers are into `rows`.
std::vector<const BestRow*> FailedSince(const std::vector<BestRow>& rows, const BestWanted& wanted);

}  // namespace hone
