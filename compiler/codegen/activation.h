// Activations in kernels: the one emitter, of epilogues and of kernels of their own.
#pragma once

#include "compiler/codegen/kernel_builder.h"
#include "core/activation.h"

namespace hone {

// `x` is a scalar or any vector of float32, or of float64 where EmitsFloat64. `lo` and `hi` are the activation's first
// and second parameter (core/activation.h). kNone gives x.
Value* EmitActivation(KernelBuilder& b, Activation activation, double lo, double hi, Value* x);
// Polynomials are of float32 alone.
bool EmitsFloat64(Activation activation);

// x, times `slope` where it is negative: leaky relu, and prelu.
Value* EmitSlope(KernelBuilder& b, Value* x, Value* slope);

}  // namespace hone
