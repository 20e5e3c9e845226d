#include "compiler/schedules/schedule.h"

namespace hone {

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
