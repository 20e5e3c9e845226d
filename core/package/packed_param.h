// A model's parameter in the form that a package stores.
#pragma once

#include "core/package/plan.h"
#include "core/tensor.h"

namespace hone {

// A model's parameter in a package that holds its elements rearranged, and unchanged except for rounding to bfloat16
// or float16.
struct ParamPlace {
  int buffer = 0;           // of the plan
  bool transposed = false;  // a matrix whose rows and columns are exchanged before packing
  bool operator==(const ParamPlace&) const = default;
};

// The bytes of `buffer` when it holds `value` in this form. Throws Error(kBadData) when the number of elements differs
// from the buffer's, or when the buffer is float16 and a finite element is beyond its range.
Tensor PackParam(const Tensor& value, bool transposed, const PlanBuffer& buffer);

}  // namespace hone
