// A package's calls, with every buffer in memory of its own.
#pragma once

#include "runtime/package.h"

namespace hone {

// Runs each call once on one thread, with random bytes in inputs. Each buffer and workspace ends at a page that nobody
// may touch; inputs and parameters cannot be written. So a kernel that leaves its operands ends the process, or makes
// the result false. For children only: the memory is not given back.
bool RunGuardedCalls(const Package& package);

}  // namespace hone
