// Adjusts the times of trials to the results of finals.
#pragma once

#include <vector>

#include "db/verdicts/best_lookup.h"

namespace hone {

// Sets worth_ns of every row, for rows of one workload: the time that the row counts as. That is its least sample
// unless finals cover it. Finals (of one run and Setup) cover a row if they came after it or contain it. They must also
// belong to its run or have had its candidate among theirs; the last such finals decide. Later finals that had the
// winner of earlier ones among their candidates cover all that those covered.
//
// No covered row counts as faster than the winner, so that a lucky trial does not undo the result of finals. The
// winner's rows count as its least sample in the finals, other rows as at least a nanosecond more.
void WorthByFinals(std::vector<BestRow>& rows);

}  // namespace hone
