// What a machine must have to run a plan's kernels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/plan.h"
#include "core/target.h"
#include "core/workload.h"

namespace hone {

// PlanCall::op of a call whose kernel is an attention's (compiler/generic/attention.h): no operator of a graph is it.
inline constexpr std::string_view kAttentionName = "attention";

// In LLVM's names: those of the target's row of machines, and what multiplies bytes or bfloat16 where a kernel does.
std::vector<std::string> RequiredFeatures(const Plan& plan);

// The same of one anchor's kernel.
std::vector<std::string> RequiredFeatures(const MachineModel& machine, const ElementTypes& types);

}  // namespace hone
