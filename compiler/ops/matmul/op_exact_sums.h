// The limits within which float32 adds integers exactly.
#pragma once

#include "core/tensor.h"

namespace hone::relay {

// float32 holds every integer up to here, so sums of them are exact in any order.
inline constexpr double kLargestExact = 16777216;  // 2^24

// The largest magnitude of any partial sum of a row of the weight (its axis 0). A partial sum adds some of the row's
// products with data in [low, high], where low <= 0 <= high.
double LargestPartialSum(const Tensor& weight, double low, double high);

}  // namespace hone::relay
