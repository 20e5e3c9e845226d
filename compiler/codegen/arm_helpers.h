// What LLVM calls for ARMv7 instead of writing it out: divisions, and integers of 64 bits from and to floats.
#pragma once

#include <string>

#include "core/target.h"

namespace hone {

// An object that holds them under the names of the "Run-time ABI for the Arm Architecture" (section 4.2 and 4.1.2),
// hidden: to be linked where one of them is missing. Made once per target; thread-safe.
const std::string& ArmHelpers(const Target& target);

}  // namespace hone
