// Division by a number that is known, without the instruction where that is slower.
#pragma once

#include "compiler/codegen/kernel_builder.h"

namespace hone {

// The float32 nearest to x / divisor, halves to even, as the instruction gives it: a multiplication with the reciprocal
// and two corrections, each with its remainder in one rounding (Markstein, IA-64 and Elementary Functions, 2000,
// chapter 8). For quotients up to 2^60, of which those below 2^-60 may become 0, and divisors from 2^-60 to 2^60; the
// instruction for other divisors, on machines without fused multiply-adds, and where it takes no longer.
Value* EmitDivideBy(KernelBuilder& b, Value* x, float divisor);

// Whether EmitDivideBy does so; else it emits the instruction, which takes any x.
bool DividesByProducts(const MachineModel& machine, float divisor);

}  // namespace hone
