// Pass: what is computed from one tensor of bytes, element by element, and is a byte again, is looked up.
//
// A quantised model computes SiLU as x * sigmoid(x), or HardSwish as x * clip(x / 6 + 0.5, 0, 1), between a value of 8
// bits and the next. However much that is, it has 256 results, and a table is what they are when the operators'
// definitions compute them, one after the other, as ONNX has it.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// Each value of 8 bits that elementwise operators and single numbers compute from one tensor of 8 bits and of its shape
// becomes a byte_table of that tensor. So does one that is computed from float32 rounded and bounded to what 8 bits
// hold: that is cast first. What scales, shifts, rounds and bounds alone stays as it is: it is part of a product's
// kernel. Values in between are bytes where their own tensor is one.
relay::IRModule TabulateBytes(const relay::IRModule& module);

}  // namespace hone
