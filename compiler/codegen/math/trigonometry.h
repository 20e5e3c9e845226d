// Sine, cosine and arc tangent for kernels. Scalars or float32 vectors of any width.
#pragma once

#include "compiler/codegen/kernel_builder.h"

namespace hone {

// Within 2 ULP for |x| up to 6.7e9 (2^32 quadrants); beyond, an arbitrary number in [-1, 1]. An infinity or NaN gives
// NaN.
Value* EmitSin(KernelBuilder& b, Value* x);
Value* EmitCos(KernelBuilder& b, Value* x);
// Within 2 ULP; infinities give half of pi, with their sign.
Value* EmitAtan(KernelBuilder& b, Value* x);

}  // namespace hone
