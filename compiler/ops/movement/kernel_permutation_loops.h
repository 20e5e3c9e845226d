// The loops of a permutation: squares transposed in registers.
#pragma once

#include "compiler/generic/operand_access.h"
#include "compiler/ops/movement/kernel_permutation.h"
#include "compiler/schedules/schedule.h"

namespace hone {

// Work items of a box, each of some thousand elements.
int64_t ItemsOf(const PermutedBox& box);

// The axes of these items, the outermost first. `result` is the type of the function's result.
std::vector<StageAxis> PermutedItems(const PermutedBox& box, const relay::Type& result);

// Emits items [begin, end) of the box. Batch strides come from `args`: operand 0 is the source, operand 1 the result.
void EmitPermutation(KernelBuilder& b, const StageArgs& args, DType dtype, const PermutedBox& box, Value* begin,
                     Value* end);

}  // namespace hone
