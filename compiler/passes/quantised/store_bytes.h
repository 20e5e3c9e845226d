// Pass: quantised values lie in 8 bits, and their convolutions and dense layers multiply bytes.
//
// LiftScales leaves whole numbers in float32. Where one is known to lie within 256 neighbours, low to low + 255, it is
// stored as uint8, value - low, and every reader takes low back off: low is the negated zero point. Integers of 8 bits
// that are in the graph already, such as its inputs, are read so by products. An integral nn.conv2d or nn.dense with
// int8 weights of such data becomes one of uint8 and int8 with int32 sums: (q + low) * w summed is q * w summed, plus
// low * (the sum of w), which goes into its bias. An integral nn.batch_matmul of two such values takes both zero points
// as an operand. The values of the graph stay what they were.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

relay::IRModule StoreBytes(const relay::IRModule& module);

}  // namespace hone
