// Winograd's transform of 3x3 weights: part of packing them into a layout.
#pragma once

#include <cstdint>

#include "core/tensor.h"

namespace hone {

// The weights of F(m x m, 3 x 3) (Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", 2016, section
// 4): G g G^T for each (o, i), computed in float64. Takes (O, I, 3, 3) float32. Returns (m + 2, m + 2, O, I). m is 2
// or 4; throws Error(kBadData) for another m or shape.
//
// For int8 weights the result is exact, in 16-bit integers: (m + 2, 2 (m + 2), O, I) int8. Each frequency along W is
// two bytes of a signed number, the low byte first. For m = 2 it is 4 G g G^T, at most 9 * 128. For m = 4 it is 900 G
// g G^T, at most 15 * 15 * 128. Its points are 0, 2, 1, -1, -1/2 and infinity
// (compiler/schedules/conv2d/conv2d_winograd_int16.cc).
Tensor WinogradWeights(const Tensor& weights, int64_t m);

}  // namespace hone
