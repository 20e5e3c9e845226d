// Pass: quantised values are stored in 8 bits, and their convolutions and dense layers multiply bytes.
//
// LiftScales leaves integers in float32. If an integer is known to lie in [low, low + 255], it is stored as uint8,
// value - low. Every reader adds low again; low is the negated zero point. Products read 8-bit integers of the graph,
// such as its inputs, in the same way.
//
// An integral nn.conv2d or nn.dense of such data with int8 weights becomes one of uint8 and int8 with int32 sums. For
// stored bytes q, the sum of (q + low) * w is the sum of q * w plus low * (the sum of w). The latter term goes into its
// bias. An integral nn.batch_matmul of two such values takes both zero points as an operand. The graph's values stay
// the same:
//
//    round -> clip [-128, 127] -> conv (integral)
//    becomes
//    round -> clip -> add 128 -> cast(uint8) -> conv of bytes -> bias_add(-128 * sum of w) -> cast(float32)
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

relay::IRModule StoreBytes(const relay::IRModule& module);

}  // namespace hone
