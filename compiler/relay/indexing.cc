#include "compiler/relay/indexing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "compiler/relay/arguments.h"
#include "compiler/relay/type.h"

namespace hone::relay {
namespace {

int64_t BroadcastDim(int64_t a, int64_t b) {
  if (a == 1) return b;
  if (b == 1 || b == kAnyDim) return a;
  if (a == kAnyDim || a == b) return b;
  Misfit(fmt::format("dims {} and {} do not broadcast", a, b));
}

template <typename T, typename Next>
void GatherAs(const Tensor& data, Next next, Tensor& result) {
  const T* from = data.data<T>();
  T* to = result.data<T>();
  for (int64_t i = 0; i < result.elements(); ++i) to[i] = from[next()];
}

template <typename Next>
Tensor Gathered(const Tensor& data, const Shape& shape, Next next) {
  Tensor result(data.dtype(), shape);
  switch (DTypeBytes(data.dtype())) {
    case 1:
      GatherAs<uint8_t>(data, next, result);
      break;
    case 2:
      GatherAs<uint16_t>(data, next, result);
      break;
    case 4:
      GatherAs<uint32_t>(data, next, result);
      break;
    default:
      GatherAs<uint64_t>(data, next, result);
      break;
  }
  return result;
}

}  // namespace

Shape BroadcastShapes(const Shape& a, const Shape& b) {
  const size_t rank = std::max(a.size(), b.size());
  Shape result(rank);
  for (size_t d = 1; d <= rank; ++d) {
    const int64_t from_a = d <= a.size() ? a[a.size() - d] : 1;
    const int64_t from_b = d <= b.size() ? b[b.size() - d] : 1;
    result[rank - d] = BroadcastDim(from_a, from_b);
  }
  return result;
}

std::vector<int64_t> RowMajorStrides(const Shape& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d > 1; --d) strides[d - 2] = strides[d - 1] * shape[d - 1];
  return strides;
}

std::vector<int64_t> BroadcastStrides(const Shape& from, const Shape& to) {
  const std::vector<int64_t> own = RowMajorStrides(from);
  std::vector<int64_t> strides(to.size(), 0);
  const size_t added = to.size() - from.size();
  for (size_t d = 0; d < from.size(); ++d) strides[added + d] = from[d] == 1 ? 0 : own[d];
  return strides;
}

std::vector<int64_t> StridedOffsets(const Shape& extents, const std::vector<int64_t>& strides, int64_t base) {
  // Checked before the loops: beside an extent of 0 another may have any length.
  if (ElementCount(extents) == 0) return {};
  std::vector<int64_t> offsets;
  offsets.reserve(static_cast<size_t>(ElementCount(extents)));
  offsets.push_back(base);
  for (size_t d = extents.size(); d > 0; --d) {
    // The offsets so far cover the inner dims; they repeat, shifted, along this one.
    const size_t inner = offsets.size();
    for (int64_t i = 1; i < extents[d - 1]; ++i) {
      for (size_t j = 0; j < inner; ++j) offsets.push_back(offsets[j] + i * strides[d - 1]);
    }
  }
  return offsets;
}

Tensor Gather(const Tensor& data, const Shape& shape, const std::vector<int64_t>& offsets) {
  return Gathered(data, shape, [next = offsets.begin()]() mutable { return *next++; });
}

Tensor Gather(const Tensor& data, const Shape& shape, OffsetWalk offsets) {
  return Gathered(data, shape, [&offsets] { return offsets.Next(); });
}

AxisView ViewAxis(const Shape& shape, int64_t axis) {
  AxisView view;
  for (size_t d = 0; d < shape.size(); ++d) {
    const auto at = static_cast<int64_t>(d);
    int64_t& part = at < axis ? view.outer : at == axis ? view.extent : view.inner;
    part *= shape[d];
  }
  return view;
}

int64_t IndexOnAxis(const Tensor& indices, int64_t i, int64_t extent) {
  const auto index = static_cast<int64_t>(indices.At(i));
  if (index < -extent || index >= extent) {
    Misfit(fmt::format("index {} lies outside an axis of {} elements", index, extent));
  }
  return index < 0 ? index + extent : index;
}

}  // namespace hone::relay
