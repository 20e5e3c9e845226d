// The CPU features that a machine must have to run a plan's kernels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/machine/target.h"
#include "core/package/plan.h"
#include "core/workload.h"

namespace hone {

// PlanCall::op of a call whose kernel is an attention (compiler/ops/attention/kernel.h). No operator of a graph has
// this name.
inline constexpr std::string_view kAttentionName = "attention";

// In LLVM's names: the features of the target's row of machines, and those that multiply bytes or bfloat16 if a kernel
// does.
std::vector<std::string> RequiredFeatures(const Plan& plan);

// The features that one anchor's kernel needs.
std::vector<std::string> RequiredFeatures(const MachineModel& machine, const ElementTypes& types);

}  // namespace hone
