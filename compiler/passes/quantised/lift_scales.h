// Pass: a quantised model computes with its integers, and multiplies by their scales afterwards.
//
// In a QDQ model, DequantizeLinear multiplies integers by scales before each convolution, and QuantizeLinear divides
// the result by another scale. If x and w are integers and every partial sum is exact, conv(x * s, w * t) equals
// conv(x, w) * (s * t). The pass marks such a convolution as integral, so that no schedule or pass makes it inexact.
// Between two convolutions one multiplication, one rounding and two bounds are left. Casts to 8 bits and back are
// dropped:
//
//    x * s --+
//             conv -> divide by u -> round -> clip -> cast(int8) -> cast(float32) -> * u -> conv ...
//    w * t --+
//    becomes
//    x, w -> conv (integral) -> * (s * t / u) -> round -> clip -> conv (integral) ...
#pragma once

#include <vector>

#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/expr.h"

namespace hone {

relay::IRModule LiftScales(const relay::IRModule& module);

// Moves scales behind convolutions, nn.dense, nn.batch_matmul, biases, relu, pools and reshapes of integers; joins two
// scales into one.
const std::vector<Rule>& ScaleRules();
// Drops operators that change no integer: casts to 8 bits and back, zero points added and subtracted, and quantising
// again with the same scale.
const std::vector<Rule>& WholeNumberRules();

}  // namespace hone
