// DeformConv: images are sampled at the taps' places plus offsets, by a blend of four pixels; the samples of one place
// are the channels of a convolution of one tap.
#include <fmt/format.h>

#include "compiler/frontend/onnx/composed_node.h"
#include "compiler/frontend/onnx/window.h"
#include "compiler/ops/onnx_families.h"

namespace hone {
namespace {

using relay::ExprPtr;

class DeformedSamples {
 public:
  explicit DeformedSamples(const OnnxNodeView& view) : view_(view), data_(view.InputShape(0)) {
    if (data_.size() != 4 || view.InputRank(1) != 4 || view.InputRank(2) != 4) {
      RefuseNode(fmt::format("data {} with weights {}; two spatial dimensions are supported", ShapeText(data_),
                             ShapeText(view.InputShape(1))));
    }
    const Shape weight = view.InputShape(1), offset = view.InputShape(2);
    window_ = ReadWindow(view, {weight.begin() + 2, weight.end()});
    taps_ = window_.kernel[0] * window_.kernel[1];
    groups_ = view.Int("offset_group", 1);
    for (size_t d = 0; d < 2; ++d) {
      const int64_t span = data_[2 + d] + window_.padding[d] + window_.padding[d + 2] -
                           (window_.kernel[d] - 1) * window_.dilation[d] - 1;
      if (span < 0)
        RefuseNode(fmt::format("a window of {} does not fit {}", ShapeText(window_.kernel), ShapeText(data_)));
      places_.push_back(span / window_.strides[d] + 1);
    }
    if (groups_ < 1 || groups_ > kMostPlaces || data_[1] % groups_ != 0) {
      RefuseNode(fmt::format("offset_group is {}; it must divide {} channels", groups_, data_[1]));
    }
    if (window_.kernel[0] > kMostPlaces / window_.kernel[1]) {
      RefuseNode(fmt::format("a window of {}", ShapeText(window_.kernel)));
    }
    const Shape wanted{data_[0], groups_ * taps_ * 2, places_[0], places_[1]};
    if (offset != wanted) RefuseNode(fmt::format("offsets of {}; {} are right", ShapeText(offset), ShapeText(wanted)));
    if (ElementCount(wanted) > kMostPlaces) RefuseNode(fmt::format("offsets of {}", ShapeText(wanted)));
    if (view.HasInput(4) && view.InputShape(4) != Shape{data_[0], groups_ * taps_, places_[0], places_[1]}) {
      RefuseNode(fmt::format("a mask of {} for offsets of {}", ShapeText(view.InputShape(4)), ShapeText(offset)));
    }
  }

  // Each tap's sample of each channel: N x (C * taps) x height x width.
  ExprPtr Channels() const {
    const ExprPtr grid =
        view_.builder().CallOnTuple("concatenate", {Coordinate(1), Coordinate(0)}, {{"axis", int64_t{3}}});
    const int64_t images = data_[0] * groups_, channels = data_[1] / groups_;
    ExprPtr samples = view_.Call(
        "image.grid_sample", {view_.Reshape(view_.Input(0), {images, channels, data_[2], data_[3]}), grid},
        {{"method", std::string("bilinear")}, {"padding_mode", std::string("zeros")}, {"align_corners", false}});
    if (view_.HasInput(4)) {
      samples = view_.Call("multiply", {view_.Reshape(samples, {images, channels, taps_ * places_[0], places_[1]}),
                                        view_.Reshape(view_.Input(4), {images, 1, taps_ * places_[0], places_[1]})});
    }
    return view_.Reshape(samples, {data_[0], data_[1] * taps_, places_[0], places_[1]});
  }

 private:
  // One coordinate (0: rows, 1: columns) of every sample between -1 and 1, whose ends are the outer edges of the image:
  // images x (taps * height) x width x 1. Pixel p lies at (2 p + 1) / n - 1.
  ExprPtr Coordinate(size_t axis) const {
    const auto pixels = static_cast<double>(data_[2 + axis]);
    const Shape offsets{data_[0] * groups_, taps_, 2, places_[0], places_[1]};
    const ExprPtr moved = view_.Slice(view_.Reshape(view_.Input(2), offsets), 2, static_cast<int64_t>(axis),
                                      static_cast<int64_t>(axis) + 1);
    Tensor scale(DType::kFloat32, {});
    scale.Set(0, 2 / pixels);
    Shape shape{1, taps_, 1, 1, 1};
    shape[3 + axis] = places_[axis];
    view_.builder().Spend(taps_ * places_[axis] * 4);
    Tensor places(DType::kFloat32, shape);
    for (int64_t i = 0; i < places.elements(); ++i) {
      const int64_t tap = i / places_[axis], place = i % places_[axis];
      const int64_t along = axis == 0 ? tap / window_.kernel[1] : tap % window_.kernel[1];
      const int64_t pixel = place * window_.strides[axis] - window_.padding[axis] + along * window_.dilation[axis];
      places.Set(i, (2 * static_cast<double>(pixel) + 1) / pixels - 1);
    }
    const ExprPtr scaled = view_.Call("multiply", {moved, relay::MakeConstant(std::move(scale))});
    const ExprPtr at = view_.Call("add", {scaled, relay::MakeConstant(std::move(places))});
    return view_.Reshape(at, {data_[0] * groups_, taps_ * places_[0], places_[1], 1});
  }

  const OnnxNodeView& view_;
  Shape data_;
  Window window_;
  int64_t taps_ = 0, groups_ = 1;
  Shape places_;  // height and width of the result
};

std::vector<ExprPtr> DeformConv(const OnnxNodeView& view) {
  const DeformedSamples samples(view);
  const Shape weight = view.InputShape(1);
  const ExprPtr one_tap = view.Reshape(view.Input(1), {weight[0], weight[1] * weight[2] * weight[3], 1, 1});
  return {Composed(view, "Conv", {samples.Channels(), one_tap, view.HasInput(3) ? view.Input(3) : nullptr},
                   AttributesOf(view, {"group"}))};
}

}  // namespace

OnnxOperatorTable DeformableOperators() {
  return {{"DeformConv",
           3,
           5,
           DeformConv,
           {"dilations", "group", "kernel_shape", "offset_group", "pads", "strides"},
           {.becomes = "add concatenate image.grid_sample multiply nn.bias_add nn.conv2d reshape strided_slice"}}};
}

}  // namespace hone
