#include "bench/kernels/layers.h"

#include "compiler/frontend/zoo/zoo.h"
#include "compiler/schedules/schedule.h"

namespace hone::bench {
namespace {

ConfigChoice DefaultChoice(const DefaultConfig& chosen) {
  return {std::string(chosen.schedule->name()), chosen.config, "default", "", 0};
}

ConfigChoice Choose(const Workload& workload, const Target& target, ConfigSource* records) {
  const MachineModel machine = MachineModelFor(target);
  const auto valid = [&](const std::string& name, const Config& config) {
    const Schedule* schedule = FindSchedule(name);
    return schedule && schedule->Fits(workload, machine) && !schedule->Reject(workload, machine, config);
  };
  if (records) {
    if (auto choice = records->Choose(workload, target, 1, valid)) return *choice;
  }
  return DefaultChoice(AnalyticDefault(workload, machine));
}

// The config with the schedule's best estimate.
DefaultConfig BestEstimate(const Schedule& schedule, const Workload& workload, const MachineModel& machine) {
  DefaultConfig best;
  const ConfigSpace space = schedule.Space(workload, machine);
  for (int64_t i = 0; i < space.size(); ++i) {
    const Config config = space.At(i);
    if (schedule.Reject(workload, machine, config)) continue;
    const double estimate_ns = schedule.EstimateNs(workload, machine, config);
    if (!best.schedule || estimate_ns < best.estimate_ns) best = {&schedule, config, estimate_ns};
  }
  return best;
}

}  // namespace

std::vector<Layer> LayersOf(const std::string& model, const Target& target, ConfigSource* records) {
  std::vector<Layer> layers;
  for (const Task& task : ExtractTasks(BuildZoo(model), {target})) {
    layers.push_back({task.workload, task.uses, Choose(task.workload, target, records)});
    if (layers.back().choice.schedule != "conv2d_winograd") continue;
    const DefaultConfig direct = BestEstimate(*FindSchedule("conv2d_direct"), task.workload, MachineModelFor(target));
    layers.push_back({task.workload, 0, DefaultChoice(direct)});
  }
  return layers;
}

std::vector<Layer> ByteLayersOf(const std::string& model, const Target& target) {
  std::vector<Layer> layers;
  for (const Task& task : ExtractTasks(BuildZoo(model), {target})) {
    Workload workload = task.workload;
    if (!workload.is_conv() || workload.groups != 1 || workload.prologue != Prologue::kNone) continue;
    workload.types = ByteTypes(DType::kUInt8);
    layers.push_back({workload, task.uses, DefaultChoice(AnalyticDefault(workload, MachineModelFor(target)))});
  }
  return layers;
}

}  // namespace hone::bench
