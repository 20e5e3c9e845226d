// Pass: operators that follow a window over rows work on images of one row.
//
// An operator over N, C, W (a Conv of one spatial dimension) is imported as one over images, N, C, 1, W, between two
// reshapes:
//
//    reshape -> nn.conv2d -> reshape -> add -> clip -> reshape -> nn.conv2d -> reshape
//
// There add and clip cannot fuse into a kernel, and scales stay on their side of the reshape. After this pass they work
// on images, and one reshape is left at each end:
//
//    reshape -> nn.conv2d -> add -> clip -> nn.conv2d -> reshape
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// Moves a reshape (or squeeze) of an image of one row or column behind the operators that follow. A convolution or pool
// computed that image, perhaps followed by such operators. They are elementwise, broadcasting and reducing operators,
// batch norms, pads, slices, splits and concatenations. Names and attributes go with them. The module needs its types.
relay::IRModule RowsAsPlanes(const relay::IRModule& module);

}  // namespace hone
