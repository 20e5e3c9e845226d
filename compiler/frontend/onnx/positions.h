// Constants of positions, from which converters build masks.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// begin, begin + 1, ... (int64) along `axis` of a tensor of `rank`, whose other dimensions are 1.
relay::ExprPtr Positions(int64_t extent, int64_t axis, int64_t rank, int64_t begin = 0);

}  // namespace hone
