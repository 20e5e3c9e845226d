// Vectors whose lanes are put in an order that is known when a kernel runs, by one instruction of the machine.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/codegen/kernel_builder.h"
#include "core/tensor.h"

namespace hone {

// Elements of `dtype` in a vector that PermutedLanes takes; 0 where the machine has no such instruction.
int PermutableLanes(KernelBuilder& b, DType dtype);

// The bytes of an order, as PermutedLanes reads them, in which lane i of the result is element lanes[i]. `lanes` has
// PermutableLanes numbers, each below twice that.
std::vector<uint8_t> OrderBytes(KernelBuilder& b, DType dtype, const std::vector<int64_t>& lanes);

// The lanes of `low` in the order whose bytes lie at `order`; numbers from PermutableLanes on are lanes of `high`,
// which is null where there are none.
Value* PermutedLanes(KernelBuilder& b, DType dtype, Value* low, Value* high, Value* order);

// A constant array in the kernel's own object; equal ones are one.
Value* ConstantArray(KernelBuilder& b, llvm::Constant* elements);

}  // namespace hone
