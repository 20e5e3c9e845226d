// A dense layer of whole numbers as the convolution of one pixel that it is.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// Each integral nn.dense of one row of bytes with constant int8 weights becomes a pointwise nn.conv2d of an image of
// 1x1 between reshapes, and the elementwise operators behind it go before the reshape back: kernels of bytes know
// images.
relay::IRModule DenseAsConv(const relay::IRModule& module);

}  // namespace hone
