// A config as numbers for a learnt model: the same features in the same places for every task and schedule.
#pragma once

#include <array>

#include "tuner/strategy.h"

namespace hone {

inline constexpr size_t kFeatures = 42;
using Features = std::array<float, kFeatures>;

// Shape of the work, knobs by name, register tile, reuse, working sets as shares of the caches, trip counts, machine
// and estimate. Knobs that the config lacks are 0; up to four that are not in the vocabulary of docs/design.md keep
// their order. Sizes and shares are plain: trees see their order alone.
Features FeaturesOf(const Workload& workload, const MachineModel& machine, const Proposal& proposal,
                    double estimate_ns);

}  // namespace hone
