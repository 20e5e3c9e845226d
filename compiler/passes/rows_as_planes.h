// Pass: what follows a window over rows is computed on images of one row.
//
// An operator over N, C, W (a Conv of one spatial dimension) is one over images, N, C, 1, W, between two reshapes:
//
//   reshape -> nn.conv2d -> reshape -> add -> clip -> reshape -> nn.conv2d -> reshape
//
// The operators between two of them then meet no kernel that could take them in, and scales stay on their side of the
// reshape. Behind this pass they are operators on images, and one reshape is left at each end.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// A reshape (or squeeze) from an image of one row or one column, which a convolution or pool computes with whatever of
// the operators below follows it, goes behind elementwise, broadcasting and reducing operators, batch norms, pads,
// slices, splits and concatenations. Names and attributes go with them. The module needs its types.
relay::IRModule RowsAsPlanes(const relay::IRModule& module);

}  // namespace hone
