// The sums of whole vectors, several at a time.
#pragma once

#include "compiler/codegen/kernel_builder.h"

namespace hone {

// Lane i of the result is the sum over all lanes of vectors[i]; of one vector it is a scalar. As many floating-point
// vectors as a power of two, at most as many as each has lanes, and these are a power of two, too. The order of the
// additions depends on neither. Four vectors of four lanes a to d, a step per line, two shuffles and one addition for
// each pair:
//
//   a0 a1 a2 a3 | b0 b1 b2 b3 | c0 c1 c2 c3 | d0 d1 d2 d3
//   a01 a23 b01 b23           | c01 c23 d01 d23
//   a0123 b0123 c0123 d0123
//
// Longer vectors take two such steps inside each group of four lanes, then add whole groups: shuffles inside four lanes
// are the cheap ones.
Value* LaneSums(KernelBuilder& b, Vals vectors);

}  // namespace hone
