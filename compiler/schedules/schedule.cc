#include "compiler/schedules/schedule.h"

#include <fmt/format.h>

#include "compiler/schedules/schedule_list.h"

namespace hone {

const std::vector<const Schedule*>& AllSchedules() {
  static const std::vector<const Schedule*> schedules{
      &Conv2dDirect(),    &Conv2dAmx(),      &Conv2dWinograd(), &Conv2dWinogradInt16(),
      &Conv2dDepthwise(), &Conv2dDot(),      &Conv2dPixels(),   &DensePack(),
      &DenseAmx(),        &BatchMatmul(),    &BatchMatmulAmx(), &BatchMatmulDot(),
      &DenseBlocks(),     &DenseBlocksDot(), &DenseBlocksAmx(),
  };
  return schedules;
}

const Schedule* FindSchedule(std::string_view name) {
  for (const Schedule* schedule : AllSchedules()) {
    if (schedule->name() == name) return schedule;
  }
  return nullptr;
}

std::vector<const Schedule*> SchedulesFor(const Workload& workload, const MachineModel& machine) {
  std::vector<const Schedule*> found;
  for (const Schedule* schedule : AllSchedules()) {
    if (schedule->Fits(workload, machine)) found.push_back(schedule);
  }
  return found;
}

std::optional<std::string> WhyUnusable(const Workload& workload, const MachineModel& machine,
                                       const std::string& schedule, const Config& config, bool exact_math) {
  const Schedule* found = FindSchedule(schedule);
  if (found == nullptr) return fmt::format("there is no schedule {}", schedule);
  if (!found->Fits(workload, machine)) return fmt::format("{} does not compute this workload here", schedule);
  if (exact_math && !found->exact()) return fmt::format("{} trades accuracy for speed, and math is exact", schedule);
  return found->Reject(workload, machine, config);
}

DefaultConfig AnalyticDefault(const Workload& workload, const MachineModel& machine) {
  DefaultConfig best;
  for (const Schedule* schedule : SchedulesFor(workload, machine)) {
    const ConfigSpace space = schedule->Space(workload, machine);
    for (int64_t i = 0; i < space.size(); ++i) {
      Config config = space.At(i);
      if (schedule->Reject(workload, machine, config)) continue;
      const double estimate = schedule->EstimateNs(workload, machine, config);
      if (!best.schedule || estimate < best.estimate_ns) best = {schedule, std::move(config), estimate};
    }
  }
  return best;
}

}  // namespace hone
