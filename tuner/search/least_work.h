// The least arithmetic that a workload needs.
#pragma once

#include <cstdint>

#include "core/workload.h"

namespace hone {

// The least number of multiply-adds in any of hone's schedules: those of the direct algorithm, without those that fall
// into the padding. A convolution with a window of more than one element counts one for each product of an output and
// an input channel. Winograd's algorithm needs more than that at any tile size (S. Winograd, Arithmetic Complexity of
// Computations, 1980: F(m, r) takes m + r - 1 multiplications for m r).
int64_t LeastMultiplyAdds(const Workload& workload);

}  // namespace hone
