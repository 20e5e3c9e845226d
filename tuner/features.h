// A config as numbers for a learnt model: the same features in the same places for every task and schedule.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "compiler/schedules/schedule.h"

namespace hone {

// A knob has a column of its own, the same for all schedules that have a knob of that name; the first kKnobColumns of
// them in AllSchedules do.
inline constexpr size_t kKnobColumns = 24, kOtherKnobs = 4;
inline constexpr size_t kFeatures = 8 + 1 + kKnobColumns + kOtherKnobs + 13 + 5;
using Features = std::array<float, kFeatures>;

// Names of the knobs that have columns, in their order.
const std::vector<std::string_view>& KnobColumns();

// Shape of the work, knobs, register tile, reuse, working sets as shares of the caches, trip counts, machine and
// estimate. A knob that the config leaves out reads as its default, one that the schedule lacks is 0; up to kOtherKnobs
// of a schedule that have no column keep their order. Sizes and shares are plain: trees see their order alone.
Features FeaturesOf(const Schedule& schedule, const Workload& workload, const MachineModel& machine,
                    const Config& config, double estimate_ns);

}  // namespace hone
