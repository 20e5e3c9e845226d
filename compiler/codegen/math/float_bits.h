// The building blocks of polynomial math: constants, bits and polynomials of float32 scalars or vectors of any width.
#pragma once

#include <vector>

#include "compiler/codegen/kernel_builder.h"

namespace hone {

// The number of lanes of a value; 1 for a scalar.
int LaneCount(Value* x);
// `v` in each of the lanes of `like`.
Value* FloatConstant(KernelBuilder& b, Value* like, float v);
// `v` in each of the lanes of `like`, of its floating-point type.
llvm::Constant* ConstantLike(Value* like, double v);
Value* IntConstant(KernelBuilder& b, Value* like, int64_t v);  // int32
// Reinterprets the bits of float32 as int32, and back.
Value* AsInt(KernelBuilder& b, Value* x);
Value* AsFloat(KernelBuilder& b, Value* bits, Value* like);
// c[0] + c[1] x + ... by Horner's rule.
Value* Polynomial(KernelBuilder& b, Value* x, const std::vector<float>& c);
Value* Magnitude(KernelBuilder& b, Value* x);
// `magnitude` with the sign of `x`; NaN stays.
Value* WithSignOf(KernelBuilder& b, Value* magnitude, Value* x);
// x < bound, false for NaN: one i1 per lane.
Value* Below(KernelBuilder& b, Value* x, float bound);

// Comparisons that see denormals. The processor that runs a kernel takes denormals for zeros
// (runtime/threads/thread_pool.h), in comparisons as in arithmetic. For floats of any width, scalars and vectors.

// An integer of the float's width that orders as the numbers do; both zeros give 0. NaN gives an arbitrary integer.
Value* EmitOrder(KernelBuilder& b, Value* x);

// Whether x is not 0, as one i1 per lane; true for NaN. Takes integers too.
Value* EmitIsNonzero(KernelBuilder& b, Value* x);

}  // namespace hone
