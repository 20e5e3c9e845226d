// Checks that a lowered plan gives its kernels what they need: a proof of every built plan, by its bytes only.
#pragma once

#include <vector>

#include "compiler/relay/expr.h"
#include "core/package/plan.h"

namespace hone {

// `functions` are the functions of the plan's calls, in their order. Checks that
//   - each operand's images lie inside its buffer, with the distance that the call's kernel assumes;
//   - no byte is read, or left in an output, that no earlier call wrote, and none is written twice;
//   - a state is written over by one call at most, which is the first that reads it;
//   - no two buffers that hold values at the same time share bytes of the arena.
// Takes microseconds per call of the plan. Throws Error(kBug) naming the call or buffer.
void CheckPlan(const Plan& plan, const std::vector<relay::FunctionPtr>& functions);

}  // namespace hone
