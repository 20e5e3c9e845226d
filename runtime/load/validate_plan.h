// Checks that a plan from outside uses no memory but its own.
#pragma once

#include <cstdint>
#include <string>

#include "core/package/plan.h"

namespace hone {

// Checks every index, offset, size and stride of the plan, so that a session built from it gives kernels only memory
// of its own buffers:
// - Each buffer's size is that of its physical shape and lies inside the arena or the params section.
// - Inputs and outputs are plain row-major and listed once.
// - Views begin inside their buffers.
// - No call's result is an input or a parameter.
//
// MatchKernels (match_kernels.h) checks that the memory from a view's beginning is enough for a kernel's images. Throws
// Error(kBadData) as "NAME: graph: BUFFER or CALL: what is wrong".
void ValidatePlan(const Plan& plan, int64_t params_bytes, const std::string& name);

}  // namespace hone
