// Pass: the integers of a quantised model are computed with as integers, and their scales come after.
//
// A model between QuantizeLinear and DequantizeLinear multiplies integers by scales before each convolution and divides
// the result by another. Here conv(x * s, w * t) is conv(x, w) * (s * t) where x and w are whole numbers and every
// partial sum is exact: marked as integral, so that no schedule or pass makes it inexact. What is left between two
// convolutions is one multiplication, one rounding and two bounds. Casts to 8 bits and back are dropped.
#pragma once

#include <vector>

#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/expr.h"

namespace hone {

relay::IRModule LiftScales(const relay::IRModule& module);

// Scales move behind convolutions, nn.dense, nn.batch_matmul, biases, relu, pools and reshapes of whole numbers; two
// become one.
const std::vector<Rule>& ScaleRules();
// What changes no whole number goes: casts to 8 bits and back, zero points added and subtracted, quantising what was
// quantised with the same scale.
const std::vector<Rule>& WholeNumberRules();

}  // namespace hone
