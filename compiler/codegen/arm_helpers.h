// The functions that LLVM calls on ARMv7 instead of emitting code: divisions, and conversions of 64-bit integers from
// and to floats.
#pragma once

#include <string>

#include "core/machine/target.h"

namespace hone {

// An object that defines them, hidden, under the names of the "Run-time ABI for the Arm Architecture" (sections 4.2 and
// 4.1.2). Link it if one of them is missing. Made once per target; thread-safe.
const std::string& ArmHelpers(const Target& target);

}  // namespace hone
