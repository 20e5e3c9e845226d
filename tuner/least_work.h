// What a workload cannot be computed without.
#pragma once

#include <cstdint>

#include "core/workload.h"

namespace hone {

// Multiply-adds that any of our schedules does at least. Those of the direct algorithm, without what falls into the
// padding; of a convolution with a window of more than one element one for each product of an output and an input
// channel, which is less than Winograd's algorithm takes at any tile size (S. Winograd, Arithmetic Complexity of
// Computations, 1980: F(m, r) takes m + r - 1 multiplications for m r).
int64_t LeastMultiplyAdds(const Workload& workload);

}  // namespace hone
