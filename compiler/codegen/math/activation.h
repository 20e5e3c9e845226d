// Activations in kernels: the one emitter, for epilogues and for separate kernels.
#pragma once

#include "compiler/codegen/kernel_builder.h"
#include "core/activation.h"

namespace hone {

// Applies the row's activation to `x`, a scalar or any vector of float32, or of float64 if KindOf(*row) is not
// kFunctions. `lo` and `hi` are the activation's first and second parameter (core/activation.h). A null row gives x.
Value* EmitActivation(KernelBuilder& b, const ActivationRow* row, double lo, double hi, Value* x);

// x, times `slope` if x is negative: leaky relu and prelu.
Value* EmitSlope(KernelBuilder& b, Value* x, Value* slope);

}  // namespace hone
