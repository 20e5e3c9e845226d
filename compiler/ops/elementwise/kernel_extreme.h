// The larger or smaller of two numbers in kernels.
#pragma once

#include "compiler/codegen/kernel_builder.h"

namespace hone {

// Operands are scalars or vectors of one type; the result is NaN if either is.
Value* EmitExtreme(KernelBuilder& b, Value* x, Value* y, bool larger, bool is_unsigned);

}  // namespace hone
