// Whether a build may run a workload with a config from another machine, user or version.
#pragma once

#include <optional>
#include <string>

#include "compiler/schedules/schedule.h"

namespace hone {

// Why it may not, for people. There is no such schedule, it does not compute the workload, it rejects the config,
// or it trades accuracy for speed although `exact_math` forbids that. Returns nullopt if it may.
std::optional<std::string> WhyUnusable(const Workload& workload, const MachineModel& machine,
                                       const std::string& schedule, const Config& config, bool exact_math);

}  // namespace hone
