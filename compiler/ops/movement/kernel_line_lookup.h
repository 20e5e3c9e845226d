// A `take` whose lanes are at neighbouring places of a list of positions that is known when the kernel is compiled.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/codegen/kernel_builder.h"
#include "compiler/generic/evaluator.h"
#include "core/tensor.h"

namespace hone {

// PermutedLanes permutes a vector's lanes by an order known when the kernel runs, in one instruction of the machine.
// This is the number of elements of `dtype` in a vector that it takes; 0 if the machine has no such instruction.
int PermutableLanes(KernelBuilder& b, DType dtype);

// The bytes of an order, as PermutedLanes reads them: lane i of the result is element lanes[i]. `lanes` has
// PermutableLanes numbers, each below twice that.
std::vector<uint8_t> OrderBytes(KernelBuilder& b, DType dtype, const std::vector<int64_t>& lanes);

// Permutes by the order whose bytes are at `order`. Numbers below PermutableLanes select lanes of `low`, the others
// lanes of `high`, which may be null if there are none.
Value* PermutedLanes(KernelBuilder& b, DType dtype, Value* low, Value* high, Value* order);

// A constant array in the kernel's own object; equal arrays share one.
Value* ConstantArray(KernelBuilder& b, llvm::Constant* elements);

// Whether the take's list is known and each of its positions is in [0, extent) of the axis.
bool HasPlainPositions(const relay::Call& take);

// The lanes of a take along the row-major axis that the lanes run along. It evaluates windows of neighbouring elements
// and permutes their lanes. Null if positions of neighbouring lanes are too far apart, or if the machine has no such
// instruction.
Value* TakenFromWindows(Evaluator& e, const relay::Call& take, const Coordinates& at, Lanes lanes);

}  // namespace hone
