// When float32 adds whole numbers exactly.
#pragma once

#include "core/tensor.h"

namespace hone::relay {

// Up to here float32 has every whole number, so that sums of them are exact in any order.
inline constexpr double kLargestExact = 16777216;  // 2^24

// The largest magnitude of a sum of some of the products of one row of the weight (its axis 0) with data in
// [low, high], where low <= 0 <= high: no partial sum of that row is larger.
double LargestPartialSum(const Tensor& weight, double low, double high);

}  // namespace hone::relay
