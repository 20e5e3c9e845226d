// Pass: channels that become places stay in blocks, with what follows them in the kernel that computes them.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// A reshape, transpose and reshape of an image that make its channels places (what is left of a transposed convolution,
// a pixel shuffle): constant biases and elementwise operators on them go before them. Where the channels left fill
// vectors of `lanes` they become nn.depth_to_space, which keeps its data in blocks. The places come first in its
// channels: the filters of a convolution are put in that order where they are not.
relay::IRModule DepthToSpace(const relay::IRModule& module, int lanes);

}  // namespace hone
