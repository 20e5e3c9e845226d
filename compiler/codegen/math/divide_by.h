// Division by a constant, without the division instruction if that is slower.
#pragma once

#include "compiler/codegen/kernel_builder.h"

namespace hone {

// The float32 nearest to x / divisor, halves to even, as the instruction gives it. It is computed as a multiplication
// with the reciprocal and two corrections. Each correction rounds its remainder once (Markstein, IA-64 and Elementary
// Functions, 2000, chapter 8). This holds for quotients up to 2^60, of which those below 2^-60 may become 0, and for
// divisors from 2^-60 to 2^60. The instruction is used for other divisors, on machines without fused multiply-adds, and
// if it is no slower.
Value* EmitDivideBy(KernelBuilder& b, Value* x, float divisor);

// Whether EmitDivideBy multiplies; else it emits the instruction, which takes any x.
bool DividesByProducts(const MachineModel& machine, float divisor);

}  // namespace hone
