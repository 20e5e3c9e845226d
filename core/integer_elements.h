// Elements of integer tensors as int64, which a double does not hold from 2^53 on.
#pragma once

#include <cstdint>

#include "core/tensor.h"

namespace hone {

// Element `i` of a tensor of integers or bools. Throws Error(kBug) for floats.
int64_t IntegerAt(const Tensor& tensor, int64_t i);

// Stores the value as the tensor's type holds it: integers wrap, a bool is whether it is not 0. Throws Error(kBug) for
// floats.
void SetInteger(Tensor& tensor, int64_t i, int64_t value);

// Whether a double is the element's exact value: always where the tensor holds floats.
bool HeldByDouble(const Tensor& tensor, int64_t i);

// The range of an integer type; 0 and 1 for bool. Throws Error(kBug) for floats.
struct IntegerRange {
  int64_t least = 0, most = 0;
};
IntegerRange RangeOf(DType dtype);

// A bound of any size as a number of the type: cut towards zero, and the type's own end where it lies beyond.
int64_t IntegerBound(double bound, DType dtype);

}  // namespace hone
