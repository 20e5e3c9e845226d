// Pass: an elementwise function from one tensor of bytes to bytes becomes a table.
//
// Between two values of 8 bits, a quantised model computes SiLU as x * sigmoid(x); HardSwish as
// x * clip(x / 6 + 0.5, 0, 1). Such a function has only 256 results. The table holds the results of the operators'
// definitions, applied one after the other, as ONNX defines it:
//
//    bytes -> cast -> * s -> sigmoid -> multiply -> divide -> round -> clip -> cast -> bytes
//    becomes
//    bytes -> byte_table -> bytes
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// Makes a byte_table of each 8-bit value that elementwise operators and scalars compute from one 8-bit tensor of the
// same shape. Values of float32 that are rounded and bounded to the range of 8 bits count as such a tensor; they are
// cast first. Values that are only scaled, shifted, rounded and bounded stay, because they are part of a product's
// kernel. Values in between become bytes if they have an 8-bit tensor of their own as source.
relay::IRModule TabulateBytes(const relay::IRModule& module);

}  // namespace hone
