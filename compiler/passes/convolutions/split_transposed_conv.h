// Pass: transposed convolutions become convolutions, which have schedules.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// With strides s x t, the outputs whose row is r modulo s and whose column is c modulo t form a phase. They see the
// same taps of the weight, so each phase is an ordinary convolution of the data.
//
//    apart:      conv of phase 0, ..., conv of phase s * t - 1 -> nn.interleave
//    together:   one conv with s * t times the outputs, zeros in its filters
//                -> reshape -> transpose -> reshape -> slice
//
// One convolution is used if the phases are many, or have so few outputs that vectors of `lanes` would idle.
// Elementwise operators behind it move to each phase. The pass takes every nn.conv2d_transpose of known shapes: any
// strides, padding, dilation and groups, and a computed weight too.
relay::IRModule SplitTransposedConvs(const relay::IRModule& module, int lanes);

}  // namespace hone
