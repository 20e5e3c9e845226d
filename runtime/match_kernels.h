// Whether a plan asks of its kernels what they were compiled for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/artifact.h"
#include "core/plan.h"

namespace hone {

// What a library says of its kernels, without their ELF. `text`: what it exports as kKernelTableSymbol. Throws
// Error(kBadData) naming `name` when it says nothing or something else.
std::vector<Artifact> ReadKernelTable(std::string_view text, const std::string& name);

// Of a plan that ValidatePlan accepts: each kernel's stages and workspaces are those it was compiled with, and each
// call gives it operands of its number, dtypes and order (results where they may be written), none of which ends behind
// its buffer, whichever of the kernel's own stride and the call's it is walked with. So a kernel that keeps to what it
// says stays inside the buffers that its call names. Throws Error(kBadData) as "NAME: graph: KERNEL or CALL: what is
// wrong".
void MatchKernels(const Plan& plan, const std::vector<Artifact>& compiled, const std::string& name);

}  // namespace hone
