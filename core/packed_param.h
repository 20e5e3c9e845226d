// A model's parameter as a package holds it.
#pragma once

#include "core/plan.h"
#include "core/tensor.h"

namespace hone {

// A place of a model's parameter in a package that moves its elements and changes none, but for rounding to bfloat16 or
// float16.
struct ParamPlace {
  int buffer = 0;           // of the plan
  bool transposed = false;  // a matrix, its rows and columns exchanged before it is packed
  bool operator==(const ParamPlace&) const = default;
};

// The bytes of `buffer` when it holds `value` so. Throws Error(kBadData) when the elements are not as many as the
// buffer's, or one is finite and beyond float16's range where the buffer is float16.
Tensor PackParam(const Tensor& value, bool transposed, const PlanBuffer& buffer);

}  // namespace hone
