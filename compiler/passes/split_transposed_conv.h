// Pass: transposed convolutions become convolutions, which have schedules.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// With strides s x t, the outputs whose row is r modulo s and whose column is c modulo t see the same taps of the
// weight: they are an ordinary convolution of the data. The s * t of them are computed apart and interleaved, or, with
// so few outputs that vectors of `lanes` would idle, as channels of one convolution whose window holds all of theirs.
// Taken are nn.conv2d_transpose with constant weights, one group and no dilation, known shapes, results whose sides are
// multiples of the strides, and windows at least as large as the strides; others stay.
relay::IRModule SplitTransposedConvs(const relay::IRModule& module, int lanes);

}  // namespace hone
