#include "compiler/schedules/schedule.h"

#include "compiler/schedules/conv2d/conv2d_amx.h"
#include "compiler/schedules/conv2d/conv2d_depthwise.h"
#include "compiler/schedules/conv2d/conv2d_direct.h"
#include "compiler/schedules/conv2d/conv2d_dot.h"
#include "compiler/schedules/conv2d/conv2d_winograd.h"
#include "compiler/schedules/conv2d/conv2d_winograd_int16.h"
#include "compiler/schedules/matmul/batch_matmul.h"
#include "compiler/schedules/matmul/batch_matmul_amx.h"
#include "compiler/schedules/matmul/batch_matmul_dot.h"
#include "compiler/schedules/matmul/dense_amx.h"
#include "compiler/schedules/matmul/dense_pack.h"

namespace hone {

const std::vector<const Schedule*>& AllSchedules() {
  static const std::vector<const Schedule*> schedules{
      &Conv2dDirect(), &Conv2dAmx(), &Conv2dWinograd(), &Conv2dWinogradInt16(), &Conv2dDepthwise(), &Conv2dDot(),
      &DensePack(),    &DenseAmx(),  &BatchMatmul(),    &BatchMatmulAmx(),      &BatchMatmulDot(),
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

}  // namespace hone
