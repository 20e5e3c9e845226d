// The targets for which tests compile what they then run here.
#pragma once

#include <vector>

#include "core/target.h"

namespace hone::testing {

// The host itself, and x86-64-v2 to v4 as far as it runs them.
std::vector<Target> TestTargets();

}  // namespace hone::testing
