// Rounding float32 to whole numbers without the instructions that older machines lack. Exact for every value; NaN and
// infinities stay.
#pragma once

#include "compiler/codegen/kernel_builder.h"

namespace hone {

// To the nearest, halves to the even one; the sign of zero is the argument's.
Value* EmitRound(KernelBuilder& b, Value* x);
Value* EmitFloor(KernelBuilder& b, Value* x);
Value* EmitCeil(KernelBuilder& b, Value* x);
// Towards zero.
Value* EmitTrunc(KernelBuilder& b, Value* x);

// As EmitRound, the whole number as int32: an addition whose sum's last bits are the number. Of x within 2^22 of zero;
// other values and NaN give some number.
Value* EmitNearestWhole(KernelBuilder& b, Value* x);

}  // namespace hone
