#include "compiler/schedules/usable_config.h"

#include <fmt/format.h>

namespace hone {

std::optional<std::string> WhyUnusable(const Workload& workload, const MachineModel& machine,
                                       const std::string& schedule, const Config& config, bool exact_math) {
  const Schedule* found = FindSchedule(schedule);
  if (found == nullptr) return fmt::format("there is no schedule {}", schedule);
  if (!found->Fits(workload, machine)) return fmt::format("{} does not compute this workload here", schedule);
  if (exact_math && !found->exact()) return fmt::format("{} trades accuracy for speed, and math is exact", schedule);
  return found->Reject(workload, machine, config);
}

}  // namespace hone
