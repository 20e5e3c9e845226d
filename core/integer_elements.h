// Elements of integer tensors as int64. A double does not hold every integer beyond 2^53.
#pragma once

#include <cstdint>

#include "core/tensor.h"

namespace hone {

// Element `i` of a tensor of integers or bools. Throws Error(kBug) for floats.
int64_t IntegerAt(const Tensor& tensor, int64_t i);

// Stores the value in the tensor's type: integers wrap, and a bool becomes value != 0. Throws Error(kBug) for floats.
void SetInteger(Tensor& tensor, int64_t i, int64_t value);

// Whether a double holds the element's exact value. Always true for tensors of floats.
bool HeldByDouble(const Tensor& tensor, int64_t i);

// The range of an integer type; 0 and 1 for bool. Throws Error(kBug) for floats.
struct IntegerRange {
  int64_t least = 0, most = 0;
};
IntegerRange RangeOf(DType dtype);

// A bound of any size as a value of the type: rounded towards zero and clamped to the type's range.
int64_t IntegerBound(double bound, DType dtype);

}  // namespace hone
