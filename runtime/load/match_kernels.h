// Checks that a plan from outside uses its kernels as they were compiled.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/artifact.h"
#include "core/package/plan.h"

namespace hone {

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
