// Pass: channels that become pixels stay in blocks, together with the operators that follow them.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// A reshape, a transpose and a reshape of an image turn channels into pixels, as after a transposed convolution or in a
// pixel shuffle. Constant biases and elementwise operators on the result move before them. If the remaining channels
// fill vectors of `lanes`, the three become nn.depth_to_space, which keeps its data in blocks. That operator needs the
// pixel positions first in its channels, so the filters of a preceding convolution are reordered where necessary.
//
//    conv2d -> reshape -> transpose -> reshape -> bias -> relu
//    becomes
//    conv2d -> bias -> relu -> nn.depth_to_space
relay::IRModule DepthToSpace(const relay::IRModule& module, int lanes);

}  // namespace hone
