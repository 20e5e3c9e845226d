// Checks that a plan from outside can be run safely, and that it uses its kernels as they were compiled.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/artifact.h"
#include "core/package/plan.h"

namespace hone {

// Checks every index, offset, size and stride of the plan, so that a session built from it gives kernels only memory
// of its own buffers:
// - Each buffer's size is that of its physical shape and lies inside the arena or the params section.
// - Inputs and outputs are plain row-major and listed once.
// - Views begin inside their buffers.
// - No call's result is an input or a parameter.
//
// MatchKernels checks that the memory from a view's beginning is enough for a kernel's images. Throws Error(kBadData)
// as "NAME: graph: BUFFER or CALL: what is wrong".
void ValidatePlan(const Plan& plan, int64_t params_bytes, const std::string& name);

// The library's description of its kernels, without their ELF. `text` is its export kKernelTableSymbol. Throws
// Error(kBadData) naming `name` when the text is empty or is no such table.
std::vector<Artifact> ReadKernelTable(std::string_view text, const std::string& name);

// Checks a plan that ValidatePlan accepts, so that a kernel that keeps to its description stays inside the buffers
// that its call names:
// - Each kernel's stages and workspaces are those that it was compiled with.
// - Each call passes operands of the kernel's number, dtypes and order, and results only where they may be written.
// - No operand ends behind its buffer, whether it is walked with the kernel's own stride or with the call's.
//
// Throws Error(kBadData) as "NAME: graph: KERNEL or CALL: what is wrong".
void MatchKernels(const Plan& plan, const std::vector<Artifact>& compiled, const std::string& name);

}  // namespace hone
