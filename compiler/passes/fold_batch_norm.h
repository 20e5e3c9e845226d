// Pass: scales and shifts per channel after a convolution or a dense layer go into its weights and bias.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// Any chain of multiply, divide, add and subtract by constants per output channel, in any order, behind nn.conv2d or
// nn.dense with constant weights (and nn.bias_add with a constant). The layer's own result must have no other user: its
// weights change.
relay::IRModule FoldBatchNorm(const relay::IRModule& module);

}  // namespace hone
