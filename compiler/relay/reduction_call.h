// Reductions as passes and kernels look for them.
#pragma once

#include "compiler/relay/expr.h"

namespace hone::relay {

// Whether a typed call of an operator reduces whole axes of float32, which stay with one element: a sum, mean, product
// or extremum with keepdims, or a global pool.
bool IsKeptReduction(const Call& call);

}  // namespace hone::relay
