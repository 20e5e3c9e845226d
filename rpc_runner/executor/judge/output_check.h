// Checks a kernel's output.
#pragma once

#include <cstdint>

#include "core/tensor.h"

namespace hone {

// The largest |got - value| / (tolerance * magnitude + 1e-7) over the elements; the output is right if it is at most 1.
// An output of 16-bit floats may also be off by half a unit in its last place. `expected` holds `elements` values, then
// as many magnitudes plus one (see ExpectedFor). A NaN, an infinity, or a nonzero lane past its axis counts as
// kWrongBeyondMeasure.
inline constexpr double kWrongBeyondMeasure = 1e30;
double WorstError(const void* got, DType dtype, int64_t elements, const double* expected, double tolerance);

}  // namespace hone
