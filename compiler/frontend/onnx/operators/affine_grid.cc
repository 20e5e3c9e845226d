// AffineGrid: the positions that GridSample takes, as an affine map of those of the result.
#include <fmt/format.h>

#include "compiler/frontend/onnx/onnx_operators.h"
#include "compiler/frontend/onnx/window.h"

namespace hone {
namespace {

using relay::ExprPtr;

// Where element `i` of `extent` lies between -1 and 1: the ends of the range are middles of elements, or their edges.
double Between(int64_t i, int64_t extent, bool corners) {
  const auto at = static_cast<double>(i), n = static_cast<double>(extent);
  if (corners) return extent > 1 ? 2 * at / (n - 1) - 1 : -1;
  return (2 * at + 1) / n - 1;
}

// Each element's position, the last axis first, and a 1: places x (axes + 1).
ExprPtr Places(const OnnxNodeView& view, const Shape& extents) {
  const int64_t axes = static_cast<int64_t>(extents.size()), places = ElementCount(extents);
  view.builder().Spend(places * (axes + 1) * 4);
  Tensor base(DType::kFloat32, {places, axes + 1});
  for (int64_t place = 0; place < places; ++place) {
    int64_t rest = place, at = place * (axes + 1);
    for (size_t d = extents.size(); d-- > 0; rest /= extents[d]) {
      base.Set(at++, Between(rest % extents[d], extents[d], view.Int("align_corners", 0) != 0));
    }
    base.Set(at, 1);
  }
  return relay::MakeConstant(base);
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
  const int64_t places = ElementCount(extents);
  if (places > kMostPlaces) RefuseNode(fmt::format("a size of {}", ShapeText(size)));
  const ExprPtr base = view.Reshape(Places(view, extents), {1, places, 1, axes + 1});
  const ExprPtr theta = view.Reshape(view.Input(0), {size[0], 1, axes, axes + 1});
  const ExprPtr grid = view.Call("sum", {view.Call("multiply", {base, theta})},
                                 {{"axis", std::vector<int64_t>{3}}, {"keepdims", false}});
  Shape shape{size[0]};
  shape.insert(shape.end(), extents.begin(), extents.end());
  shape.push_back(axes);
  return {view.Reshape(grid, shape)};
}

}  // namespace

OnnxOperatorTable AffineGridOperators() { return {{"AffineGrid", 2, 2, AffineGrid, {"align_corners"}}}; }

}  // namespace hone
