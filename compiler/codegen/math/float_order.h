// Comparisons that see denormals. The processor that runs a kernel takes denormals for zeros
// (runtime/threads/thread_pool.h), in comparisons as in arithmetic. For floats of any width, scalars and vectors.
#pragma once

#include "compiler/codegen/kernel_builder.h"

namespace hone {

// An integer of the float's width that orders as the numbers do; both zeros give 0. NaN gives an arbitrary integer.
Value* EmitOrder(KernelBuilder& b, Value* x);

// Whether x is not 0, as one i1 per lane; true for NaN. Takes integers too.
Value* EmitIsNonzero(KernelBuilder& b, Value* x);

}  // namespace hone
