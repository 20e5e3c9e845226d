// GridSample: elements of an image at computed positions.
#include <fmt/format.h>

#include <map>

#include "compiler/frontend/onnx/window.h"
#include "compiler/ops/onnx_families.h"
#include "core/nth.h"

namespace hone {
namespace {

std::vector<relay::ExprPtr> GridSample(const OnnxNodeView& view) {
  const Shape image = view.InputShape(0), grid = view.InputShape(1);
  if ((image.size() != 4 && image.size() != 5) || grid.size() != image.size() || grid[0] != image[0] ||
      grid.back() != view.InputRank(0) - 2) {
    RefuseNode(
        fmt::format("an image {} with a grid {}; N x C x H x W with N x H x W x 2 is supported, and the same of "
                    "volumes",
                    ShapeText(image), ShapeText(grid)));
  }
  static const std::map<std::string, std::string> kMethods{{"nearest", "nearest_neighbor"},
                                                           {"linear", "bilinear"},
                                                           {"bilinear", "bilinear"},
                                                           {"cubic", "bicubic"},
                                                           {"bicubic", "bicubic"}};
  const std::string mode = view.String("mode", "linear"), padding = view.String("padding_mode", "zeros");
  const auto method = kMethods.find(mode);
  if (method == kMethods.end())
    RefuseNode(fmt::format("mode \"{}\" is not known; linear, cubic and nearest are", mode));
  if (method->second == "bicubic" && image.size() == 5) {
    RefuseNode("mode \"cubic\" of a volume, which ONNX does not define; use linear or nearest");
  }
  if (padding != "zeros" && padding != "border" && padding != "reflection") {
    RefuseNode(fmt::format("padding_mode \"{}\" is not known", padding));
  }
  return {view.Call(
      "image.grid_sample", {view.Input(0), view.Input(1)},
      {{"method", method->second}, {"padding_mode", padding}, {"align_corners", view.Int("align_corners", 0) != 0}})};
}

// AffineGrid: the positions for GridSample, as an affine map of the result's positions.

using relay::ExprPtr;
using Ints = std::vector<int64_t>;

// The position of element `i` of `extent` between -1 and 1. The ends of the range are the middles of the outer elements
// (`corners`), or their outer edges.
double Between(int64_t i, int64_t extent, bool corners) {
  const auto at = static_cast<double>(i), n = static_cast<double>(extent);
  if (corners) return extent > 1 ? 2 * at / (n - 1) - 1 : -1;
  return (2 * at + 1) / n - 1;
}

// The positions along one axis as a tensor that broadcasts over the grid's planes, N x axes x extents.
ExprPtr Places(const OnnxNodeView& view, int64_t axis, int64_t axes, int64_t extent) {
  Shape shape(static_cast<size_t>(axes) + 2, 1);
  Nth(shape, axis + 2) = extent;
  Tensor places(DType::kFloat32, shape);
  for (int64_t i = 0; i < extent; ++i) places.Set(i, Between(i, extent, view.Int("align_corners", 0) != 0));
  return relay::MakeConstant(places);
}

// A column of theta that broadcasts over the extents: N x axes x 1 ...
ExprPtr Column(const OnnxNodeView& view, int64_t column, int64_t axes) {
  const ExprPtr part = view.Call("strided_slice", {view.Input(0)},
                                 {{"begin", Ints{column}}, {"end", Ints{column + 1}}, {"axes", Ints{2}}});
  Shape shape(static_cast<size_t>(axes) + 2, 1);
  shape[0] = view.InputShape(0)[0];
  shape[1] = axes;
  return view.Reshape(part, shape);
}

std::vector<ExprPtr> AffineGrid(const OnnxNodeView& view) {
  const std::vector<int64_t> size = *view.InputInts(1, "size");
  const auto axes = static_cast<int64_t>(size.size()) - 2;
  const bool fits = (axes == 2 || axes == 3) && view.InputShape(0) == Shape{size[0], axes, axes + 1};
  if (!fits) RefuseNode(fmt::format("theta {} for {} sizes", ShapeText(view.InputShape(0)), size.size()));
  for (const int64_t extent : size) {
    if (extent < 1 || extent > int64_t{1} << 20) RefuseNode(fmt::format("a size of {}", extent));
  }
  const Shape extents(size.begin() + 2, size.end());
  if (ElementCount(extents) > kMostPlaces) RefuseNode(fmt::format("a size of {}", ShapeText(size)));
  // Theta has the last axis first. It makes planes, each with one coordinate of the positions, because their rows are
  // long.
  ExprPtr planes = Column(view, axes, axes);
  std::vector<int64_t> order{0};
  for (int64_t axis = 0; axis < axes; ++axis) {
    const ExprPtr term =
        view.Call("multiply", {Column(view, axes - 1 - axis, axes), Places(view, axis, axes, Nth(extents, axis))});
    planes = view.Call("add", {term, planes});
    order.push_back(axis + 2);
  }
  order.push_back(1);
  return {view.Call("transpose", {planes}, {{"axes", order}})};
}

}  // namespace

OnnxOperatorTable GridSampleOperators() {
  const std::vector<std::string_view> attributes{"align_corners", "mode", "padding_mode"};
  return {
      {"GridSample", 2, 2, GridSample, attributes, {.becomes = "image.grid_sample"}},
      {"GridSample", 2, 2, GridSample, attributes, {}, kMicrosoft},
      {"AffineGrid", 2, 2, AffineGrid, {"align_corners"}, {.becomes = "add multiply reshape strided_slice transpose"}}};
}

}  // namespace hone
