// The one answer to "which record is the best here, and how fast is it": every command that names a best asks it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "db/verdicts/best_lookup.h"

namespace hone {

// The usable rows of one workload in one setup, best first, as a build for exactly this setup ranks them: the winner of
// finals stands, and failures and doubts count (row_verdicts.h). A row's time is its worth_ns; for the first row that
// is also its least sample.
//
// `rows` are all rows of the workload. `own` tells those of the setup, which must agree in SetupOf. Of the others only
// those of the same machine, code and threads are looked at: a kernel that failed with warm caches failed. Empty if no
// own row may be used.
std::vector<BestRow> RankInSetup(const std::vector<BestRow>& rows, const std::function<bool(const BestRow& row)>& own);

// The first of RankInSetup.
std::optional<BestRow> BestInSetup(const std::vector<BestRow>& rows,
                                   const std::function<bool(const BestRow& row)>& own);

// The time of a candidate (CandidateText) among the rows of RankInSetup; 0 if it has none. If it took part in the
// finals of the first row, that is its least sample there: only times of one comparison tell how much faster the winner
// is.
int64_t NsInSetup(const std::vector<BestRow>& ranked, const std::string& candidate);

}  // namespace hone
