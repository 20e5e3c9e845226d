// The reductions that passes and kernels look for.
#pragma once

#include "compiler/relay/expr.h"

namespace hone::relay {

// Whether a typed call reduces complete axes of float32 and keeps them with extent 1. Such calls are a sum, mean,
// product or extremum with keepdims, and a global pool.
bool IsKeptReduction(const Call& call);

}  // namespace hone::relay
