// Is a kernel's output right?
#pragma once

#include <cstdint>

#include "core/tensor.h"

namespace hone {

// The most of |got - value| / (tolerance * magnitude + 1e-7) over the elements; at most 1 is right. An output of 16
// bits may be off by half of its last place besides. `expected` holds `elements` values, then as many magnitudes plus
// one (see ExpectedFor). A NaN, an infinity, or a lane past its axis that is not zero counts as kWrongBeyondMeasure.
inline constexpr double kWrongBeyondMeasure = 1e30;
double WorstError(const void* got, DType dtype, int64_t elements, const double* expected, double tolerance);

}  // namespace hone
