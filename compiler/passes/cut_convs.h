// Pass: a convolution computes no rows and columns that are cut off.
//
// A causal convolution over rows is exported as one with padding on both sides and a slice that takes the last results
// off again. What follows it is then no part of its kernel, and blocks of channels are unpacked for the slice.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// A strided_slice of rows or columns, in steps of 1, of an nn.conv2d that nobody else reads, with or without biases and
// elementwise operators with constants per channel in between, becomes less padding at that end. It stays where the
// slice takes off more than the padding gave. The module needs its types.
relay::IRModule CutConvs(const relay::IRModule& module);

}  // namespace hone
