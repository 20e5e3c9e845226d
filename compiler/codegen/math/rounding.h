// Rounds float32 to integers without the instructions that older machines lack. Exact for every value; NaN and
// infinities stay.
#pragma once

#include "compiler/codegen/kernel_builder.h"

namespace hone {

// To the nearest integer, halves to even; a result of zero has the argument's sign.
Value* EmitRound(KernelBuilder& b, Value* x);
Value* EmitFloor(KernelBuilder& b, Value* x);
Value* EmitCeil(KernelBuilder& b, Value* x);
// Towards zero.
Value* EmitTrunc(KernelBuilder& b, Value* x);

// EmitRound with an int32 result: an addition puts the integer into the sum's last bits. For |x| up to 2^22; other
// values and NaN give an arbitrary integer.
Value* EmitNearestWhole(KernelBuilder& b, Value* x);

}  // namespace hone
