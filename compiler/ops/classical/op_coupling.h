// The iteration of couple_pairs, for its reference and its kernel.
#pragma once

#include <cstdint>

namespace hone::relay {

// The classes that have so many pairs; 0 if no number of classes has.
constexpr int64_t ClassesOfPairs(int64_t pairs) {
  int64_t classes = 2;
  while (classes * (classes - 1) / 2 < pairs) ++classes;
  return classes * (classes - 1) / 2 == pairs ? classes : 0;
}

inline constexpr int64_t kMostCoupledClasses = 512;
inline constexpr int64_t kMostCouplingSteps = 100;
// The iteration ends once no class is further than this, over the number of classes, from balance.
inline constexpr float kCouplingError = 0.005F;

}  // namespace hone::relay
