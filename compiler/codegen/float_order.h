// Comparisons that see denormals: the processor that runs a kernel takes them for zeros (runtime/thread_pool.h), in
// comparisons as in arithmetic. Floats of any width, scalars and vectors.
#pragma once

#include "compiler/codegen/kernel_builder.h"

namespace hone {

// An integer of the float's width whose order is that of the numbers; both zeros have 0. Of NaN it is some integer.
Value* EmitOrder(KernelBuilder& b, Value* x);

// Whether x is not 0, one i1 for each lane; NaN is not. Integers too.
Value* EmitIsNonzero(KernelBuilder& b, Value* x);

}  // namespace hone
