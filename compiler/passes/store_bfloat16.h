// Pass: what lies between products is stored as bfloat16, and products read it as such.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

struct BFloatOptions {
  // The 3x3 convolutions that Winograd's algorithm may compute keep their weights in float32: it saves more than
  // products of bfloat16 do.
  bool winograd = false;
  // Values that nobody stores, the graph's inputs among them, are rounded for the products that read them.
  bool round_inputs = false;
};

// Every nn.conv2d and nn.dense with constant weights that reads a value computed in the graph reads it as bfloat16, and
// so do the pools, moves and concatenations on the way there; the weights are bfloat16 too where the channels of a
// group come in pairs, but for depthwise convolutions, whose few products are float32's. Sums, biases, activations and
// everything else stay float32: a value becomes bfloat16 where it is stored, by a cast that fuses into the kernel
// before it, and float32 again where it is read. The graph's inputs and results keep their types. Integral products,
// those that keep float32 (keep_float32.h) and values of other types stay as they are. The module must have its types;
// returns the module itself when nothing changes.
relay::IRModule StoreBFloat16(const relay::IRModule& module, const BFloatOptions& options);

}  // namespace hone
