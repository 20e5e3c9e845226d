// Pass: values between products are stored as bfloat16, and products read them as such.
//
//    conv -> relu -> conv
//    becomes
//    conv -> relu -> cast(bfloat16) -> conv of bfloat16        the cast fuses into the first kernel
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

struct BFloatOptions {
  // Keeps float32 weights in the 3x3 convolutions that Winograd's algorithm may compute: it saves more than products of
  // bfloat16 do.
  bool winograd = false;
  // Also rounds values that no kernel stores, including the graph's inputs, for the products that read them.
  bool round_inputs = false;
};

// Each nn.conv2d and nn.dense with constant weights reads a value computed in the graph as bfloat16. So do the pools,
// moves and concatenations before it. The weights are bfloat16 too if the channels of a group come in pairs. Depthwise
// convolutions keep float32 weights for their few products. Sums, biases, activations and everything else stay float32.
// A cast makes a value bfloat16 where it is stored, and fuses into the kernel before it; readers cast it back to
// float32. The graph's inputs and results keep their types. Integral products, products marked to keep float32
// (keep_float32.h) and values of other types stay as they are. The module must have its types. Returns the module
// itself when nothing changes.
relay::IRModule StoreBFloat16(const relay::IRModule& module, const BFloatOptions& options);

}  // namespace hone
