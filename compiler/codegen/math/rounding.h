// Rounding and division of float32 without instructions that older machines lack or that are slow.
#pragma once

#include "compiler/codegen/kernel_builder.h"

namespace hone {

// The first four are exact for every value; NaN and infinities stay.

// To the nearest integer, halves to even; a result of zero has the argument's sign.
Value* EmitRound(KernelBuilder& b, Value* x);
Value* EmitFloor(KernelBuilder& b, Value* x);
Value* EmitCeil(KernelBuilder& b, Value* x);
// Towards zero.
Value* EmitTrunc(KernelBuilder& b, Value* x);

// EmitRound with an int32 result: an addition puts the integer into the sum's last bits. For |x| up to 2^22; other
// values and NaN give an arbitrary integer.
Value* EmitNearestWhole(KernelBuilder& b, Value* x);

// Division by a constant, without the division instruction if that is slower. It gives the float32 nearest to x /
// divisor, halves to even, as the instruction gives it. It is computed as a multiplication with the reciprocal and two
// corrections. Each correction rounds its remainder once (Markstein, IA-64 and Elementary Functions, 2000, chapter 8).
// This holds for quotients up to 2^60, of which those below 2^-60 may become 0, and for divisors from 2^-60 to 2^60.
// The instruction is used for other divisors, on machines without fused multiply-adds, and if it is no slower.
Value* EmitDivideBy(KernelBuilder& b, Value* x, float divisor);

// x divided by one number of the run, as EmitDivideBy has it: its quotients beyond 2^60 become 2^60, with their signs.
// Divisors for which products do not hold are divided by the instruction, behind a branch.
Value* EmitDivideByScalar(KernelBuilder& b, Value* x, Value* divisor);

// Whether EmitDivideBy multiplies; else it emits the instruction, which takes any x.
bool DividesByProducts(const MachineModel& machine, float divisor);

}  // namespace hone
