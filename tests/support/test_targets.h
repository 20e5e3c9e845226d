// The targets for which tests compile code and run it here.
#pragma once

#include <vector>

#include "core/machine/target.h"

namespace hone::testing {

// The host itself, and x86-64-v2 to v4 as far as the host runs them.
std::vector<Target> TestTargets();

}  // namespace hone::testing
