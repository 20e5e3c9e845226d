#include "core/required_features.h"

#include <algorithm>

#include "core/workload.h"

namespace hone {

std::vector<std::string> RequiredFeatures(const Plan& plan) {
  const MachineModel machine = MachineModelFor(plan.target);
  std::vector<std::string> features = machine.required_features;
  const bool bytes = std::any_of(plan.kernels.begin(), plan.kernels.end(), [](const PlanKernel& kernel) {
    const std::string& workload = kernel.dispatch.workload;
    return !workload.empty() && Workload::Parse(workload).types.whole();
  });
  if (bytes && !machine.byte_dots_feature.empty()) features.push_back(machine.byte_dots_feature);
  return features;
}

}  // namespace hone
