// A config as numbers for a learnt model. Features have the same positions for every task and schedule.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "compiler/schedules/schedule.h"

namespace hone {

// Knobs of one name share a column in all schedules. Columns exist for the first kKnobColumns names in the order of
// AllSchedules.
inline constexpr size_t kKnobColumns = 24, kOtherKnobs = 4;
inline constexpr size_t kFeatures = 8 + 1 + kKnobColumns + kOtherKnobs + 13 + 5;
using Features = std::array<float, kFeatures>;

// Names of the knobs that have columns, in their order.
const std::vector<std::string_view>& KnobColumns();

// The features are the work's shape, knobs, register tile, reuse, working sets as shares of the caches, trip counts,
// machine and estimate. A knob that the config leaves out reads as its default; one that the schedule lacks is 0. Up
// to kOtherKnobs of a schedule's knobs without a column keep their order. Sizes and shares are not scaled, because
// trees use only their order.
Features FeaturesOf(const Schedule& schedule, const Workload& workload, const MachineModel& machine,
                    const Config& config, double estimate_ns);

}  // namespace hone
