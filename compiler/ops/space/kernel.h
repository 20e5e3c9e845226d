// Interleaves phases into an image, after a transposed convolution was split into a convolution per phase.
#pragma once

#include "compiler/codegen/kernel_builder.h"
#include "compiler/relay/expr.h"

namespace hone {

// The function's body if it is an nn.interleave of parameters that all have one layout, row-major or in blocks of
// channels; else null.
const relay::Call* InterleaveOf(const relay::Function& function);

// Emits the kernel's loops; returns the number of work items. The function must have an InterleaveOf.
int64_t EmitInterleave(KernelBuilder& b, const StageArgs& args, const relay::Function& function);

}  // namespace hone
