// GridSample: elements of an image at computed positions.
#include <fmt/format.h>

#include "compiler/ops/onnx_families.h"

namespace hone {
namespace {

std::vector<relay::ExprPtr> GridSample(const OnnxNodeView& view) {
  const Shape image = view.InputShape(0), grid = view.InputShape(1);
  if (image.size() != 4 || grid.size() != 4 || grid[3] != 2 || grid[0] != image[0]) {
    RefuseNode(fmt::format("an image {} with a grid {}; N x C x H x W with N x H x W x 2 is supported",
                           ShapeText(image), ShapeText(grid)));
  }
  const std::string mode = view.String("mode", "linear"), padding = view.String("padding_mode", "zeros");
  const bool is_nearest = mode == "nearest";
  if (mode != "linear" && mode != "bilinear" && !is_nearest) {
    RefuseNode(fmt::format("mode \"{}\" is not supported; linear and nearest are", mode));
  }
  if (padding != "zeros" && padding != "border" && padding != "reflection") {
    RefuseNode(fmt::format("padding_mode \"{}\" is not known", padding));
  }
  return {view.Call("image.grid_sample", {view.Input(0), view.Input(1)},
                    {{"method", std::string(is_nearest ? "nearest_neighbor" : "bilinear")},
                     {"padding_mode", padding},
                     {"align_corners", view.Int("align_corners", 0) != 0}})};
}

}  // namespace

OnnxOperatorTable GridSampleOperators() {
  const std::vector<std::string_view> attributes{"align_corners", "mode", "padding_mode"};
  return {{"GridSample", 2, 2, GridSample, attributes}, {"GridSample", 2, 2, GridSample, attributes, kMicrosoft}};
}

}  // namespace hone
