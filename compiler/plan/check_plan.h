// Whether a lowered plan says what its kernels need: a proof of each plan that is built, by its bytes alone.
#pragma once

#include <vector>

#include "compiler/relay/expr.h"
#include "core/plan.h"

namespace hone {

// `functions` are what the plan's calls run, in their order. Checks that
//   - each operand's images lie inside its buffer, as far apart as the call's kernel takes them;
//   - no byte is read, or left in an output, that no earlier call wrote, and none is written twice;
//   - no two buffers that hold something at the same time share bytes of the arena.
// Takes microseconds per call of the plan. Throws Error(kBug) naming the call or buffer.
void CheckPlan(const Plan& plan, const std::vector<relay::FunctionPtr>& functions);

}  // namespace hone
