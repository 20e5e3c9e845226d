// Regions of images: RoiAlign.
#include <fmt/format.h>

#include "compiler/ops/onnx_families.h"

namespace hone {
namespace {

using relay::ExprPtr;

// Whether pixels are centred on their indices: from opset 16 on, unless the node says otherwise.
bool IsAligned(const OnnxNodeView& view) {
  const std::string mode =
      view.String("coordinate_transformation_mode", view.opset() < 16 ? "output_half_pixel" : "half_pixel");
  if (mode != "half_pixel" && mode != "output_half_pixel") {
    RefuseNode(
        fmt::format("coordinate_transformation_mode is \"{}\"; it may be half_pixel or output_half_pixel", mode));
  }
  return mode == "half_pixel";
}

std::vector<ExprPtr> RoiAlign(const OnnxNodeView& view) {
  return {view.Call("vision.roi_align", {view.Input(0), view.Input(1), view.Input(2)},
                    {{"pooled_size", std::vector<int64_t>{view.Int("output_height", 1), view.Int("output_width", 1)}},
                     {"spatial_scale", view.Float("spatial_scale", 1)},
                     {"sample_ratio", view.Int("sampling_ratio", 0)},
                     {"mode", view.String("mode", "avg")},
                     {"aligned", IsAligned(view)}})};
}

}  // namespace

OnnxOperatorTable DetectionOperators() {
  return {
      {"RoiAlign",
       3,
       3,
       RoiAlign,
       {"coordinate_transformation_mode", "mode", "output_height", "output_width", "sampling_ratio", "spatial_scale"},
       {.becomes = "vision.roi_align", .takes_counts = true}}};
}

}  // namespace hone
