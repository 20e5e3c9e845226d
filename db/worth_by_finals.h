// What a time is worth once finals have been held.
#pragma once

#include <vector>

#include "db/best_lookup.h"

namespace hone {

// Sets worth_ns of every row, rows of one workload: the time that it counts as. That is the row's least sample unless
// finals (a run's, of one Setup) cover the row: the last ones that came after
// it, or hold it, and belong to its own run or had its candidate among theirs. Where later finals had the winner of
// earlier ones among theirs, they cover all that those covered. No covered row counts as faster than the winner, so
// that a lucky trial does not undo what finals decided: the winner's rows count as its least sample in the finals, the
// others as at least a nanosecond more.
void WorthByFinals(std::vector<BestRow>& rows);

}  // namespace hone
