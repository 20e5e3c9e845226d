// Images put together from their phases: what is left of a transposed convolution once each phase is a convolution.
#pragma once

#include "compiler/codegen/kernel_builder.h"
#include "compiler/relay/expr.h"

namespace hone {

// The nn.interleave that the function's body is, of parameters alone and all of one layout, row-major or in blocks of
// channels; else null.
const relay::Call* InterleaveOf(const relay::Function& function);

// Emits the kernel's loops; returns how many work items there are. The function must have an InterleaveOf.
int64_t EmitInterleave(KernelBuilder& b, const StageArgs& args, const relay::Function& function);

}  // namespace hone
