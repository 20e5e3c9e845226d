// Products of integers: the limits within which float32 adds them exactly, rows of bytes, and attributes that say so.
#pragma once

#include <cstdint>

#include "compiler/relay/op.h"
#include "core/tensor.h"

namespace hone::relay {

// float32 holds every integer up to here, so sums of them are exact in any order.
inline constexpr double kLargestExact = 16777216;  // 2^24

// The largest magnitude of any partial sum of a row of the weight (its axis 0). A partial sum adds some of the row's
// products with data in [low, high], where low <= 0 <= high.
double LargestPartialSum(const Tensor& weight, double low, double high);

// Kernels multiply four bytes of a row at a time, the last four filled up with zeros. This is the number of zeros after
// a row of the shape's last extent: 0 to 3.
int64_t ZerosBehindRow(const Shape& shape);

// A matrix of integers that fit into int8, as int8, with those zeros.
Tensor RowsInFours(const Tensor& rows);

// Attributes that products share follow.
// The call's kernel adds plain products in any order, and no scale is folded into its weights, so each sum stays exact.
inline AttrSpec IntegralAttr() {
  return {"integral", AttrKind::kBool, false, "data and weight are integers, and each partial sum is below 2^24"};
}

// Set beside `integral`: products of bytes, with sums that int32 holds and float32 rounds.
inline AttrSpec LongSumsAttr() {
  return {"long_sums", AttrKind::kBool, false, "of integral: partial sums reach 2^24 and stay below 2^31"};
}

// A convolution whose data may hold values that must not spread to other windows: NaN, infinities, far larger numbers.
inline AttrSpec ExactMathAttr() {
  return {"exact_math", AttrKind::kBool, false, "has kernels that add plain products alone"};
}

// A layer that a choice of precisions left in float32.
inline AttrSpec KeepFloat32Attr() {
  return {"keep_float32", AttrKind::kBool, false, "multiplies float32 whatever precision the build has"};
}

}  // namespace hone::relay
