#include "core/required_features.h"

#include "core/workload.h"

namespace hone {

std::vector<std::string> RequiredFeatures(const Plan& plan) {
  const MachineModel machine = MachineModelFor(plan.target);
  std::vector<std::string> features = machine.required_features;
  bool bytes = false, bfloats = false;
  for (const PlanKernel& kernel : plan.kernels) {
    if (kernel.dispatch.workload.empty()) continue;
    const ElementTypes types = Workload::Parse(kernel.dispatch.workload).types;
    bytes = bytes || types.whole();
    bfloats = bfloats || types.data == DType::kBFloat16 || types.output == DType::kBFloat16;
  }
  if (bytes && !machine.byte_dots_feature.empty()) features.push_back(machine.byte_dots_feature);
  if (bfloats && !machine.bfloat_dots_feature.empty()) features.push_back(machine.bfloat_dots_feature);
  return features;
}

}  // namespace hone
