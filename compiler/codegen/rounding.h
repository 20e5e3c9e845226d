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

}  // namespace hone
