// An nn.dense_blocks' definition as a kernel in plain loops.
#pragma once

#include <string>

#include "compiler/schedules/schedule.h"

namespace hone {

// As EmitReference. Operands are data, words, scales, perhaps zero points, those of the canonical epilogue, then the
// value and its magnitude in float64. If the accumulator is int32, rows are quantised in float32, block by block.
EmittedKernel EmitReferenceBlocks(KernelBuilder& builder, const Workload& workload, const std::string& symbol);

}  // namespace hone
