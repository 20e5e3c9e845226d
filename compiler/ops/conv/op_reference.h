// The definition of convolutions: float32 in and out, sums in double. Row-major tensors.
#pragma once

#include <array>
#include <cstdint>

#include "core/tensor.h"

namespace hone::relay {

struct ConvGeometry {
  std::array<int64_t, 2> strides{1, 1};
  std::array<int64_t, 4> padding{0, 0, 0, 0};  // top, left, bottom, right
  std::array<int64_t, 2> dilation{1, 1};
  int64_t groups = 1;
  // For the depth of volumes.
  int64_t depth_stride = 1, front = 0, back = 0, depth_dilation = 1;
};

// data (N, C, H, W), weight (O, C / groups, KH, KW); `out` is the result's shape (N, O, OH, OW). For volumes each shape
// has a depth before its height. The outputs of a tile of pixels are a matrix product of the weights with the inputs
// that the pixels read. Uses two threads for large work; the result does not depend on that.
Tensor ConvReference(const Tensor& data, const Tensor& weight, const ConvGeometry& geometry, const Shape& out);

// ConvReference for uint8 or int8 data and int8 weights, in int32.
Tensor ByteConvReference(const Tensor& data, const Tensor& weight, const ConvGeometry& geometry, const Shape& out);

// data (N, C, H, W), weight (C, O / groups, KH, KW): every input element adds its share to the outputs that it reaches.
// For volumes each shape has a depth before its height.
Tensor ConvTransposeReference(const Tensor& data, const Tensor& weight, const ConvGeometry& geometry, const Shape& out);

}  // namespace hone::relay
