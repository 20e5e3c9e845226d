// A dense layer of integers becomes a convolution of one pixel.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// Each integral nn.dense of one row of bytes with constant int8 weights becomes a pointwise nn.conv2d between reshapes,
// on a 1x1 image. The elementwise operators behind it move before the reshape back, because kernels of bytes work on
// images:
//
//    dense -> multiply -> round    becomes    reshape -> conv2d 1x1 -> multiply -> round -> reshape
relay::IRModule DenseAsConv(const relay::IRModule& module);

}  // namespace hone
