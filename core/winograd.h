// Winograd's transform of 3x3 weights: part of how a layout packs them.
#pragma once

#include <cstdint>

#include "core/tensor.h"

namespace hone {

// The weights of F(m x m, 3 x 3) (Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", 2016, section
// 4): G g G^T for each (o, i), computed in float64. Takes (O, I, 3, 3) float32 and returns (m + 2, m + 2, O, I). m is 2
// or 4; throws Error(kBadData) for another m or shape.
//
// Of int8 weights the result is exact, whole numbers of 16 bits: (m + 2, 2 (m + 2), O, I) int8, each frequency along W
// being two bytes of a signed number, the low one first. For m = 2 it is 4 G g G^T, at most 9 * 128. For m = 4 it is
// 900 G g G^T, at most 15 * 15 * 128, of the points 0, 2, 1, -1, -1/2 and infinity
// (compiler/schedules/conv2d_winograd_int16.cc).
Tensor WinogradWeights(const Tensor& weights, int64_t m);

}  // namespace hone
