// Index arithmetic of row-major tensors, for type relations and references.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/tensor.h"

namespace hone::relay {

// The shape that numpy's broadcasting gives. kAnyDim against 1 stays unknown, against n becomes n. Throws
// Error(kBadData).
Shape BroadcastShapes(const Shape& a, const Shape& b);

// Strides in elements.
std::vector<int64_t> RowMajorStrides(const Shape& shape);
// Strides that read a tensor of shape `from` as if it had the shape `to`: 0 along broadcast dims.
std::vector<int64_t> BroadcastStrides(const Shape& from, const Shape& to);

// base + sum index[d] * strides[d] for every index within `extents`, in row-major order.
std::vector<int64_t> StridedOffsets(const Shape& extents, const std::vector<int64_t>& strides, int64_t base = 0);

// The offsets of StridedOffsets one after the other: a list takes eight bytes for each element, even of a boolean.
class OffsetWalk {
 public:
  // `extents` and `strides` have the same length.
  OffsetWalk(Shape extents, std::vector<int64_t> strides, int64_t base = 0)
      : extents_(std::move(extents)), strides_(std::move(strides)), index_(extents_.size(), 0), at_(base) {}
  // The walk that reads a tensor of shape `from` as if it had the shape `to`.
  static OffsetWalk Broadcast(const Shape& from, const Shape& to) { return {to, BroadcastStrides(from, to)}; }

  // The next offset; after the last one it begins again.
  int64_t Next() {
    const int64_t here = at_;
    for (size_t d = extents_.size(); d-- > 0;) {
      if (++index_[d] < extents_[d]) {
        at_ += strides_[d];
        break;
      }
      at_ -= strides_[d] * (extents_[d] - 1);
      index_[d] = 0;
    }
    return here;
  }

 private:
  Shape extents_;
  std::vector<int64_t> strides_, index_;
  int64_t at_;
};

// A tensor of `shape` whose element i is element offsets[i] of `data`, or the one at the walk's i-th offset. Any dtype.
Tensor Gather(const Tensor& data, const Shape& shape, const std::vector<int64_t>& offsets);
Tensor Gather(const Tensor& data, const Shape& shape, OffsetWalk offsets);

// A tensor seen as [outer][axis][inner].
struct AxisView {
  int64_t outer = 1;
  int64_t extent = 1;
  int64_t inner = 1;
};
AxisView ViewAxis(const Shape& shape, int64_t axis);

// Element i of `indices` as a position in [0, extent): negative ones count from the end. Throws Error(kBadData) for an
// index outside.
int64_t IndexOnAxis(const Tensor& indices, int64_t i, int64_t extent);

}  // namespace hone::relay
