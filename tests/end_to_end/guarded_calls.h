// A package's calls, with every buffer in separate memory.
#pragma once

#include "runtime/package.h"

namespace hone {

// Runs each call once on one thread, with random bytes as inputs. Each buffer and workspace ends at an inaccessible
// page; inputs and parameters are read-only. So a kernel that leaves its operands ends the process, or makes the result
// false. For children only: the memory is not freed.
bool RunGuardedCalls(const Package& package);

}  // namespace hone
