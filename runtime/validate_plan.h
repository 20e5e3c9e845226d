// Whether a plan from outside can be run safely.
#pragma once

#include <string>

#include "core/plan.h"

namespace hone {

// Checks every index, offset, size and stride of the plan, so that a session built from it hands kernels only memory of
// its own buffers: each buffer's size is that of its physical shape and lies inside the arena or the params section;
// inputs and outputs are plain row-major and listed once; views begin inside their buffers; no call's result is an
// input or a parameter. Whether the memory from there on is enough for a kernel's images is MatchKernels' question.
// Throws Error(kBadData) as "NAME: graph: BUFFER or CALL: what is wrong".
void ValidatePlan(const Plan& plan, int64_t params_bytes, const std::string& name);

}  // namespace hone
