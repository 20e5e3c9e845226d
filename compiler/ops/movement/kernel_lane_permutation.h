// Permutations of a vector's lanes by an order known when the kernel runs, in one instruction of the machine.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/codegen/kernel_builder.h"
#include "core/tensor.h"

namespace hone {

// Number of elements of `dtype` in a vector that PermutedLanes takes; 0 if the machine has no such instruction.
int PermutableLanes(KernelBuilder& b, DType dtype);

// The bytes of an order, as PermutedLanes reads them: lane i of the result is element lanes[i]. `lanes` has
// PermutableLanes numbers, each below twice that.
std::vector<uint8_t> OrderBytes(KernelBuilder& b, DType dtype, const std::vector<int64_t>& lanes);

// Permutes by the order whose bytes are at `order`. Numbers below PermutableLanes select lanes of `low`, the others
// lanes of `high`, which may be null if there are none.
Value* PermutedLanes(KernelBuilder& b, DType dtype, Value* low, Value* high, Value* order);

// A constant array in the kernel's own object; equal arrays share one.
Value* ConstantArray(KernelBuilder& b, llvm::Constant* elements);

}  // namespace hone
