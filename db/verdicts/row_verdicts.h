// The verdicts of other rows on a row of the same workload: its kernel failed since, its runner doubted it since, or
// finals decided about it.
#pragma once

#include <vector>

#include "db/record.h"
#include "db/verdicts/best_lookup.h"

namespace hone {

// For each of `rows`, which are of one workload: the failed row that speaks against it, or null. Such a row has the
// same schedule, version and config, and arrived later. It failed where the row was measured or where the build is for
// (same machine, threads and code). Only a failure of the kernel counts: it was rejected, crashed or computed
// something else. Timeouts and lack of memory count only in finals, where every kernel had its turns. A failure that
// blames the kernel for the machine's trouble never counts. A failure is void if another session later saw the kernel
// work there. The pointers are into `rows`.
std::vector<const BestRow*> FailedSince(const std::vector<BestRow>& rows, const BestWanted& wanted);

// The record to store when `record` is doubted. Records never change, so it is stored a second time, noisy and with
// the reason.
Record Doubted(Record record, const std::string& why);

// For each of `rows`, which are of one workload: the row that doubts it, or null. The doubting row is noisy and has
// the same session, schedule, version, config, setup and least time. The pointers are into `rows`.
std::vector<const BestRow*> DoubtedSince(const std::vector<BestRow>& rows);

// Sets worth_ns of every row, for rows of one workload: the time that the row counts as. That is its least sample
// unless finals cover it. Finals (of one run and Setup) cover a trial of the search if they came after it, whichever
// run made it: a single least sample is no match for a comparison. They cover a row of other finals if they also had
// its candidate among theirs. The last such finals decide. Later finals that had the winner of earlier ones among their
// candidates cover all that those covered.
//
// No covered row counts as faster than the winner, so that a lucky trial does not undo the result of finals. The
// winner's rows count as its least sample in the finals, other rows as at least a nanosecond more.
void WorthByFinals(std::vector<BestRow>& rows);

}  // namespace hone
