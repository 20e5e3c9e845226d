// Pass: a convolution does not compute rows and columns that a slice removes.
//
// Exporters write a causal convolution over rows as one with padding on both sides, and a slice that removes the last
// results. Without this pass the slice parts the convolution from its epilogue and unpacks blocks of channels.
//
//    conv2d(padding left 2, right 2) -> add -> clip -> slice off the last 2 columns
//    becomes
//    conv2d(padding left 2, right 0) -> add -> clip
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// A strided_slice of rows or columns, with steps of 1, of an nn.conv2d becomes less padding at that end. Biases and
// elementwise operators with constants per channel may lie in between; nothing else reads any of these values. The
// slice stays if it removes more than the padding added. The module needs its types.
relay::IRModule CutConvs(const relay::IRModule& module);

}  // namespace hone
