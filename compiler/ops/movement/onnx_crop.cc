// CenterCropPad and Col2Im: elements at positions that depend only on shapes.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "compiler/frontend/onnx/window.h"
#include "compiler/ops/onnx_families.h"
#include "core/nth.h"

namespace hone {
namespace {

using relay::ExprPtr;
using Ints = std::vector<int64_t>;

// If the difference is odd, the end loses or gets one more.
std::vector<ExprPtr> CenterCropPad(const OnnxNodeView& view) {
  const int64_t rank = view.InputRank(0);
  Ints axes(static_cast<size_t>(rank));
  std::iota(axes.begin(), axes.end(), int64_t{0});
  axes = OnnxNodeView::Axes(view.Ints("axes", axes), rank);
  const Ints wanted = *view.InputInts(1, "shape");
  if (wanted.size() != axes.size()) RefuseNode(fmt::format("a shape of {} for {} axes", wanted.size(), axes.size()));
  Ints begin(static_cast<size_t>(rank), 0), end = view.InputShape(0), pads(static_cast<size_t>(2 * rank), 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t axis = axes[i], extent = Nth(view.InputShape(0), axis), size = wanted[i];
    if (size < 0 || size > kMaxWindow) RefuseNode(fmt::format("axis {} becomes {}", axis, size));
    if (size < extent) {
      Nth(begin, axis) = (extent - size) / 2;
      Nth(end, axis) = (extent - size) / 2 + size;
    } else {
      Nth(pads, 2 * axis) = (size - extent) / 2;
      Nth(pads, 2 * axis + 1) = size - extent - (size - extent) / 2;
    }
  }
  ExprPtr data = view.Input(0);
  if (end != view.InputShape(0)) data = view.Call("strided_slice", {data}, {{"begin", begin}, {"end", end}});
  const bool padded = std::any_of(pads.begin(), pads.end(), [](int64_t pad) { return pad > 0; });
  return {padded ? view.Call("nn.pad", {data}, {{"pad_width", pads}}) : data};
}

// Numbers for each spatial axis of Col2Im.
struct Blocks {
  Ints image, block, strides, dilation, pads;  // pads: all begins, then all ends
  Ints count;                                  // number of blocks along each axis
  int64_t taps = 1, places = 1, pixels = 1;
};

Ints PerAxis(const OnnxNodeView& view, std::string_view name, size_t count, int64_t least, int64_t otherwise) {
  const Ints given = view.Ints(name, Ints(count, otherwise));
  const bool fits = std::all_of(given.begin(), given.end(), [&](int64_t n) { return n >= least && n <= kMaxWindow; });
  if (given.size() != count || !fits) RefuseNode(fmt::format("{} must be {} numbers from {} on", name, count, least));
  return given;
}

Blocks BlocksOf(const OnnxNodeView& view) {
  Blocks b;
  b.image = *view.InputInts(1, "image_shape");
  b.block = *view.InputInts(2, "block_shape");
  const size_t axes = b.image.size();
  if (axes == 0 || b.block.size() != axes) RefuseNode(fmt::format("{} image and {} block dims", axes, b.block.size()));
  b.strides = PerAxis(view, "strides", axes, 1, 1);
  b.dilation = PerAxis(view, "dilations", axes, 1, 1);
  b.pads = PerAxis(view, "pads", 2 * axes, 0, 0);
  for (size_t d = 0; d < axes; ++d) {
    const auto sane = [](int64_t n) { return n >= 1 && n <= kMaxWindow; };
    if (!sane(b.image[d]) || !sane(b.block[d])) {
      RefuseNode(fmt::format("an image of {} with blocks of {}", ShapeText(b.image), ShapeText(b.block)));
    }
    const int64_t extent = (b.block[d] - 1) * b.dilation[d] + 1;
    const int64_t span = b.image[d] + b.pads[d] + b.pads[d + axes] - extent;
    if (span < 0) RefuseNode(fmt::format("a block of {} does not fit {}", extent, b.image[d]));
    b.count.push_back(span / b.strides[d] + 1);
  }
  b.taps = ElementCount(b.block);
  b.places = ElementCount(b.count);
  b.pixels = ElementCount(b.image);
  if (b.taps > kMostPlaces || b.pixels > kMostPlaces) {
    RefuseNode(fmt::format("an image of {} with blocks of {}", ShapeText(b.image), ShapeText(b.block)));
  }
  return b;
}

// The position of row-major index `i` in `shape`.
Ints PositionOf(int64_t i, const Shape& shape) {
  Ints position(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    position[d] = i % shape[d];
    i /= shape[d];
  }
  return position;
}

// The block whose tap lies on the pixel; the number of all blocks if there is none.
int64_t BlockAt(const Blocks& b, const Ints& pixel, const Ints& tap) {
  int64_t place = 0;
  for (size_t d = 0; d < pixel.size(); ++d) {
    const int64_t first = pixel[d] + b.pads[d] - tap[d] * b.dilation[d];
    if (first < 0 || first % b.strides[d] != 0 || first / b.strides[d] >= b.count[d]) return b.places;
    place = place * b.count[d] + first / b.strides[d];
  }
  return place;
}

// A pixel is the sum over the taps that lie on it. This form is for blocks at every position (strides of 1). Each tap's
// plane is then a part of the image, moved by the tap's offset, and the image is the sum of the planes. Zeros around
// the planes make each as large as the image.
ExprPtr SumOfPlanes(const OnnxNodeView& view, const Blocks& b) {
  const size_t axes = b.image.size();
  const Shape columns = view.InputShape(0);
  Shape planes{columns[0], columns[1] / b.taps, b.taps};
  planes.insert(planes.end(), b.count.begin(), b.count.end());
  Ints width(2 * planes.size(), 0);
  for (size_t d = 0; d < axes; ++d) {
    width[2 * (d + 3)] = std::max<int64_t>(0, (b.block[d] - 1) * b.dilation[d] - b.pads[d]);
    width[2 * (d + 3) + 1] = std::max<int64_t>(0, b.image[d] + b.pads[d] - b.count[d]);
  }
  const ExprPtr padded = view.Call("nn.pad", {view.Reshape(view.Input(0), planes)}, {{"pad_width", width}});
  ExprPtr sum;
  for (int64_t tap = 0; tap < b.taps; ++tap) {
    const Ints position = PositionOf(tap, b.block);
    Ints begin{0, 0, tap}, end{planes[0], planes[1], tap + 1};
    for (size_t d = 0; d < axes; ++d) {
      begin.push_back(width[2 * (d + 3)] + b.pads[d] - position[d] * b.dilation[d]);
      end.push_back(begin.back() + b.image[d]);
    }
    const ExprPtr part = view.Call("strided_slice", {padded}, {{"begin", begin}, {"end", end}});
    sum = sum == nullptr ? part : view.Call("add", {sum, part});
  }
  return sum;
}

std::vector<ExprPtr> Col2Im(const OnnxNodeView& view) {
  constexpr int64_t kMostPlanes = 64;
  const Blocks b = BlocksOf(view);
  const Shape columns = view.InputShape(0);
  if (columns.size() != 3 || columns[1] % b.taps != 0 || columns[2] != b.places) {
    RefuseNode(fmt::format("its columns are {}; N x (C * {}) x {} is right", ShapeText(columns), b.taps, b.places));
  }
  const int64_t channels = columns[1] / b.taps, all = b.taps * b.places;
  Shape image{columns[0], channels};
  image.insert(image.end(), b.image.begin(), b.image.end());
  const bool everywhere = std::all_of(b.strides.begin(), b.strides.end(), [](int64_t stride) { return stride == 1; });
  if (everywhere && b.taps <= kMostPlanes) return {view.Reshape(SumOfPlanes(view, b), image)};
  view.builder().Spend(b.taps * b.pixels * 8);
  // Columns are ordered by tap, then by block. A zero follows them, for pixels on which no block has the tap.
  Ints from;
  for (int64_t tap = 0; tap < b.taps; ++tap) {
    for (int64_t pixel = 0; pixel < b.pixels; ++pixel) {
      const int64_t place = BlockAt(b, PositionOf(pixel, b.image), PositionOf(tap, b.block));
      from.push_back(place == b.places ? all : tap * b.places + place);
    }
  }
  const ExprPtr flat = view.Reshape(view.Input(0), {columns[0], channels, all});
  const ExprPtr with_zero = view.Call("nn.pad", {flat}, {{"pad_width", Ints{0, 0, 0, 0, 0, 1}}});
  const ExprPtr indices = relay::MakeConstant(Tensor::FromVector<int64_t>(DType::kInt64, {b.taps, b.pixels}, from));
  const ExprPtr laid = view.Call("take", {with_zero, indices}, {{"axis", int64_t{2}}});
  return {view.Reshape(view.Call("sum", {laid}, {{"axis", Ints{2}}, {"keepdims", false}}), image)};
}

}  // namespace

OnnxOperatorTable CropOperators() {
  return {{"CenterCropPad", 2, 2, CenterCropPad, {"axes"}, {.becomes = "nn.pad strided_slice"}},
          {"Col2Im",
           3,
           3,
           Col2Im,
           {"dilations", "pads", "strides"},
           {.becomes = "add nn.pad reshape strided_slice sum take"}}};
}

}  // namespace hone
