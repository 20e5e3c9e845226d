// How many trials each strategy needs on spaces whose every time is known.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/tuner/recorded_space.h"
#include "bench/tuner/verdict.h"

namespace hone::bench {

// Prints, per recorded space and for all, the median over seeds of the trials until a config within 5 % of the space's
// best was measured, for every strategy and for the model with the other spaces' records; then the verdicts.
void ReplayStrategies(const std::vector<RecordedSpace>& spaces, int seeds, Verdicts& verdicts);

}  // namespace hone::bench
