// How many trials each strategy needs on spaces whose every time is known.
#pragma once

#include <vector>

#include "bench/tuner/recorded_space.h"
#include "bench/tuner/verdict.h"

namespace hone::bench {

inline constexpr int64_t kLargeSpace = 5000;  // valid configs of the spaces that verdicts are about

// Prints, per recorded space, medians over seeds for every strategy, for even draws without the analytic default
// first, and for the model that knows other spaces' records: trials until a config within 5 % of the space's best, and
// how far from it the best of the first 64 trials is. Then the verdicts.
void ReplayStrategies(const std::vector<RecordedSpace>& spaces, int seeds, Verdicts& verdicts);

// Seconds that the model strategy spends on 1,000 trials of the largest space, timing not counted.
void TimeLearning(const std::vector<RecordedSpace>& spaces, Verdicts& verdicts);

}  // namespace hone::bench
