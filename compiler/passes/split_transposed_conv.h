// Pass: transposed convolutions become convolutions, which have schedules.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// With strides s x t, the outputs whose row is r modulo s and whose column is c modulo t see the same taps of the
// weight: they are an ordinary convolution of the data. The s * t of them are computed apart and interleaved; or, where
// they are many or have so few outputs that vectors of `lanes` would idle, as channels of one convolution whose window
// holds all of theirs. What is done to each element behind it is done to each phase. Taken is every
// nn.conv2d_transpose of known shapes: any strides, padding, dilation and groups, and also a weight that is computed.
relay::IRModule SplitTransposedConvs(const relay::IRModule& module, int lanes);

}  // namespace hone
