// Pass: scales and shifts per channel after a convolution or a dense layer go into its weights and bias.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// Folds any chain of multiply, divide, add and subtract by constants per output channel, in any order. The chain
// follows an nn.conv2d or nn.dense with constant weights, and perhaps an nn.bias_add with a constant. The layer's own
// result must have no other reader, because the layer's weights change.
relay::IRModule FoldBatchNorm(const relay::IRModule& module);

}  // namespace hone
