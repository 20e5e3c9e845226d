// Counts the trials that each strategy needs on fully recorded spaces.
#pragma once

#include <vector>

#include "bench/tuner/recorded_space.h"
#include "bench/tuner/verdict.h"

namespace hone::bench {

inline constexpr int64_t kLargeSpace = 5000;  // the least valid configs of a space that verdicts are about

// Prints medians over seeds per recorded space for every strategy. Two more columns are uniform draws without the
// analytic default first, and the model that knows other spaces' records. The figures are the trials until a config
// within 5 % of the best, and the loss of the first 64 trials' best. Then prints the verdicts.
void ReplayStrategies(const std::vector<RecordedSpace>& spaces, int seeds, Verdicts& verdicts);

// The seconds that the model strategy spends on 1,000 trials of the largest space, without timing.
void TimeLearning(const std::vector<RecordedSpace>& spaces, Verdicts& verdicts);

}  // namespace hone::bench
