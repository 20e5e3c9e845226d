#include "compiler/ops/pool/onnx_indices.h"

#include <fmt/format.h>

#include <limits>

#include "compiler/frontend/onnx/positions.h"

namespace hone {
namespace {

using relay::ExprPtr;
using Ints = std::vector<int64_t>;

// For each tap and result, the element of the plane that the tap sees (`outside` in the padding), and its index.
struct Seen {
  Shape results;  // height, width
  int64_t taps = 0, places = 0;
  Ints from, index;
};

Seen SeenBy(const OnnxNodeView& view, const Shape& data, const Window& w, bool by_columns) {
  Seen seen;
  for (size_t d = 0; d < 2; ++d) {
    const int64_t span = data[2 + d] + w.padding[d] + w.padding[d + 2] - (w.kernel[d] - 1) * w.dilation[d] - 1;
    if (span < 0) RefuseNode(fmt::format("a window of {} does not fit {}", ShapeText(w.kernel), ShapeText(data)));
    seen.results.push_back(span / w.strides[d] + 1);
  }
  seen.taps = w.kernel[0] * w.kernel[1];
  seen.places = ElementCount(seen.results);
  if (seen.taps > kMostPlaces || seen.places > kMostPlaces) {
    RefuseNode(fmt::format("windows of {} on {}", ShapeText(w.kernel), ShapeText(data)));
  }
  view.builder().Spend(seen.taps * seen.places * 16);
  const int64_t height = data[2], width = data[3], outside = height * width;
  for (int64_t tap = 0; tap < seen.taps; ++tap) {
    for (int64_t place = 0; place < seen.places; ++place) {
      const int64_t row = place / seen.results[1] * w.strides[0] + tap / w.kernel[1] * w.dilation[0] - w.padding[0];
      const int64_t column = place % seen.results[1] * w.strides[1] + tap % w.kernel[1] * w.dilation[1] - w.padding[1];
      const bool inside = row >= 0 && row < height && column >= 0 && column < width;
      seen.from.push_back(inside ? row * width + column : outside);
      seen.index.push_back(!inside ? 0 : by_columns ? column * height + row : row * width + column);
    }
  }
  return seen;
}

// The beginning of each plane: 0, H * W, 2 * H * W, ...
ExprPtr PlaneBegins(const OnnxNodeView& view, const Shape& data) {
  const int64_t planes = data[0] * data[1];
  Tensor size(DType::kInt64, {});
  size.Set(0, static_cast<double>(data[2] * data[3]));
  const ExprPtr begins = view.Call("multiply", {Positions(planes, 0, 1), relay::MakeConstant(size)});
  return view.Reshape(begins, {data[0], data[1], 1, 1});
}

}  // namespace

std::vector<ExprPtr> PoolWithIndices(const OnnxNodeView& view, const ExprPtr& data, const Window& window) {
  const Shape shape = view.builder().ShapeOf(data);
  const Seen seen = SeenBy(view, shape, window, view.Int("storage_order", 0) != 0);
  const auto table = [&](const Ints& values) {
    return relay::MakeConstant(Tensor::FromVector<int64_t>(DType::kInt64, {seen.taps, seen.places}, values));
  };
  const ExprPtr flat = view.Reshape(data, {shape[0], shape[1], shape[2] * shape[3]});
  const ExprPtr bordered =
      view.Call("nn.pad", {flat},
                {{"pad_width", Ints{0, 0, 0, 0, 0, 1}}, {"pad_value", -std::numeric_limits<double>::infinity()}});
  // Shape: N, C, taps, results.
  const ExprPtr taken = view.Call("take", {bordered, table(seen.from)}, {{"axis", int64_t{2}}});
  const ExprPtr best = view.Call("argmax", {taken}, {{"axis", int64_t{2}}, {"keepdims", true}});
  const ExprPtr indices =
      view.Call("broadcast_to", {table(seen.index)}, {{"shape", Shape{shape[0], shape[1], seen.taps, seen.places}}});
  const ExprPtr within = view.Call("gather", {indices, best}, {{"axis", int64_t{2}}});
  const Shape result{shape[0], shape[1], seen.results[0], seen.results[1]};
  return {view.Reshape(view.Call("max", {taken}, {{"axis", Ints{2}}, {"keepdims", false}}), result),
          view.Reshape(view.Call("add", {within, PlaneBegins(view, shape)}), result)};
}

}  // namespace hone
