// Index arithmetic of row-major tensors, for type relations and references.
#pragma once

#include <cstdint>
#include <vector>

#include "core/tensor.h"

namespace hone::relay {

// The shape that numpy's broadcasting gives; kAnyDim against 1 stays unknown, against n becomes n. Throws
// Error(kBadData).
Shape BroadcastShapes(const Shape& a, const Shape& b);

// In elements.
std::vector<int64_t> RowMajorStrides(const Shape& shape);
// Strides that read a tensor of shape `from` as if it had the shape `to`: 0 along broadcast dims.
std::vector<int64_t> BroadcastStrides(const Shape& from, const Shape& to);

// base + sum index[d] * strides[d] for every index within `extents`, in row-major order.
std::vector<int64_t> StridedOffsets(const Shape& extents, const std::vector<int64_t>& strides, int64_t base = 0);

// A tensor of `shape` whose element i is element offsets[i] of `data`. Any dtype.
Tensor Gather(const Tensor& data, const Shape& shape, const std::vector<int64_t>& offsets);

// A tensor seen as [outer][axis][inner].
struct AxisView {
  int64_t outer = 1;
  int64_t extent = 1;
  int64_t inner = 1;
};
AxisView ViewAxis(const Shape& shape, int64_t axis);

}  // namespace hone::relay
