// Winograd's transform of 3x3 weights: part of how a layout packs them.
#pragma once

#include <cstdint>

#include "core/tensor.h"

namespace hone {

// The weights of F(m x m, 3 x 3) (Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", 2016, section
// 4): G g G^T for each (o, i), computed in float64. Takes (O, I, 3, 3) float32 and returns (m + 2, m + 2, O, I). m is 2
// or 4; throws Error(kBadData) for another m or shape.
//
// Of int8 weights m is 2, and the result is exact: 4 G g G^T are whole numbers of at most 9 * 128. It is (4, 8, O, I)
// int8: each frequency along W is two bytes of a signed 16-bit number, the low one first.
Tensor WinogradWeights(const Tensor& weights, int64_t m);

}  // namespace hone
