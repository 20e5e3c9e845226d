// Polynomial math for kernels, because an artifact has no libm. Takes scalars or float32 vectors of any width.
#pragma once

#include "compiler/codegen/kernel_builder.h"
#include "core/activation.h"

namespace hone {

// Within 2 ULP if the result is normal. Overflow gives infinity, underflow 0, NaN gives NaN.
Value* EmitExp(KernelBuilder& b, Value* x);
// EmitExp for x <= 0, in fewer steps; 0 below -88.
Value* EmitExpOfNegative(KernelBuilder& b, Value* x);
Value* EmitLog(KernelBuilder& b, Value* x);
// exp(x) - 1 and log(1 + x), without the loss of precision near 0; within 4 ULP.
Value* EmitExpm1(KernelBuilder& b, Value* x);
Value* EmitLog1p(KernelBuilder& b, Value* x);
// Within 3 ULP.
Value* EmitTanh(KernelBuilder& b, Value* x);
Value* EmitErf(KernelBuilder& b, Value* x);
// Within 3 ULP if the result is normal.
Value* EmitSigmoid(KernelBuilder& b, Value* x);
// x / (1 + exp(-x)); minus infinity gives 0.
Value* EmitSilu(KernelBuilder& b, Value* x);
// x tanh(log(1 + exp(x))), within 4 ULP if the result is normal; minus infinity gives 0.
Value* EmitMish(KernelBuilder& b, Value* x);
// x times the standard normal distribution function of x, with an absolute error of at most 5e-7 |x|. Needs no division
// and no exponential. Minus infinity gives 0.
Value* EmitGelu(KernelBuilder& b, Value* x);
// x ** y for x > 0 as exp(y log x), with a relative error of a few ULP times |y log x|. If y is a small multiple of 1/4
// (LRN's 0.75, square roots), it is made of square roots and within 2 ULP.
Value* EmitPow(KernelBuilder& b, Value* x, float y);
Value* EmitSqrt(KernelBuilder& b, Value* x);

// Activations in kernels: the one emitter, for epilogues and for separate kernels.

// Applies the row's activation to `x`, a scalar or any vector of float32, or of float64 if KindOf(*row) is not
// kFunctions. `lo` and `hi` are the activation's first and second parameter (core/activation.h). A null row gives x.
Value* EmitActivation(KernelBuilder& b, const ActivationRow* row, double lo, double hi, Value* x);

// x, times `slope` if x is negative: leaky relu and prelu.
Value* EmitSlope(KernelBuilder& b, Value* x, Value* slope);

// Sine, cosine and arc tangent for kernels. Scalars or float32 vectors of any width.

// Within 2 ULP for |x| up to 6.7e9 (2^32 quadrants); beyond, an arbitrary number in [-1, 1]. An infinity or NaN gives
// NaN.
Value* EmitSin(KernelBuilder& b, Value* x);
Value* EmitCos(KernelBuilder& b, Value* x);
// Within 2 ULP; infinities give half of pi, with their sign.
Value* EmitAtan(KernelBuilder& b, Value* x);

}  // namespace hone
