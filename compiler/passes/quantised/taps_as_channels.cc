#include <algorithm>
#include <array>
#include <optional>

#include "compiler/passes/graph/op_def.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/passes/quantised/quantised_passes.h"
#include "core/ceil_div.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;
using Ints = std::vector<int64_t>;

namespace {

constexpr int64_t kDotChannels = 4;  // channels of one dot product of bytes

// A convolution's extents along the axis whose taps become channels.
struct MovedTaps {
  int axis;          // of the image and of the weights: 2 for rows, 3 for columns
  int64_t moved;     // number of images side by side, each one tap further
  int64_t steps;     // remaining taps
  int64_t dilation;  // between two taps of the original filter
  int64_t missing;   // number of columns that the last step reads beyond the last tap
};

MovedTaps Along(const Call& conv, int axis) {
  const Shape& weight = ShapeOf(conv.args[1]);
  const int64_t moved = kDotChannels / weight[1], taps = weight[static_cast<size_t>(axis)];
  const int64_t steps = CeilDiv(taps, moved);
  const int64_t dilation = Pair(conv.attrs, "dilation")[static_cast<size_t>(axis - 2)];
  return {axis, moved, steps, dilation, (moved * steps - taps) * dilation};
}

bool IsOfFewChannels(const Call& conv) {
  const relay::Constant* weight = relay::AsConstant(conv.args[1]);
  if (weight == nullptr || weight->value.dtype() != DType::kInt8 || conv.args[0]->type->dtype != DType::kUInt8) {
    return false;
  }
  return conv.attrs.GetInt("groups", 1) == 1 && IsStatic(ShapeOf(conv.args[0])) &&
         weight->value.shape()[1] <= kDotChannels / 2;
}

// The axis on which fewer taps remain; nullopt if neither axis has fewer.
std::optional<MovedTaps> FewestSteps(const Call& conv) {
  const Shape& weight = ShapeOf(conv.args[1]);
  const MovedTaps rows = Along(conv, 2), columns = Along(conv, 3);
  const int64_t by_rows = rows.steps * weight[3], by_columns = weight[2] * columns.steps;
  if (std::min(by_rows, by_columns) == weight[2] * weight[3]) return std::nullopt;
  return by_rows < by_columns ? rows : columns;
}

// The image with a border of `before` and `after` bytes of 0 along the axis. An existing border is extended.
ExprPtr Bordered(const ExprPtr& image, int axis, int64_t before, int64_t after) {
  if (before == 0 && after == 0) return image;
  const Call* pad = relay::AsCallTo(image, "nn.pad");
  const bool grows = pad != nullptr && (before == 0 || pad->attrs.GetFloat("pad_value") == 0);
  relay::Attrs attrs = grows ? pad->attrs : relay::Attrs{{"pad_value", 0.0}};
  Ints width = grows ? attrs.GetInts("pad_width") : Ints(8, 0);
  width[static_cast<size_t>(axis) * 2] += before;
  width[static_cast<size_t>(axis) * 2 + 1] += after;
  attrs.Set("pad_width", width);
  return TypedCall("nn.pad", {grows ? pad->args[0] : image}, std::move(attrs));
}

// The images moved by 0, 1, ... taps, concatenated as channels.
ExprPtr Moved(const ExprPtr& image, const MovedTaps& taps) {
  const int64_t extent = ShapeOf(image)[static_cast<size_t>(taps.axis)] - (taps.moved - 1) * taps.dilation;
  std::vector<ExprPtr> images;
  for (int64_t tap = 0; tap < taps.moved; ++tap) {
    const int64_t first = tap * taps.dilation;
    images.push_back(TypedCall("strided_slice", {image},
                               {{"begin", Ints{first}}, {"end", Ints{first + extent}}, {"axes", Ints{taps.axis}}}));
  }
  return TypedCall("concatenate", {TypedTuple(std::move(images))}, {{"axis", int64_t{1}}});
}

// Puts tap t of channel c at step t / moved of channel (t % moved) * channels + c. Missing taps are zeros.
Tensor MovedWeight(const Tensor& weight, const MovedTaps& taps) {
  const Shape& shape = weight.shape();
  Shape wide{shape[0], kDotChannels, shape[2], shape[3]};
  wide[static_cast<size_t>(taps.axis)] = taps.steps;
  Tensor moved(DType::kInt8, wide);
  std::fill_n(moved.data<int8_t>(), moved.elements(), int8_t{0});
  const int8_t* from = weight.data<int8_t>();
  for (int64_t o = 0; o < shape[0]; ++o) {
    for (int64_t c = 0; c < shape[1]; ++c) {
      for (int64_t row = 0; row < shape[2]; ++row) {
        for (int64_t column = 0; column < shape[3]; ++column) {
          std::array<int64_t, 2> at{row, column};
          int64_t& tap = at[static_cast<size_t>(taps.axis - 2)];
          const int64_t channel = tap % taps.moved * shape[1] + c;
          tap /= taps.moved;
          moved.data<int8_t>()[((o * kDotChannels + channel) * wide[2] + at[0]) * wide[3] + at[1]] = *from++;
        }
      }
    }
  }
  return moved;
}

relay::Attrs MovedAttrs(const Call& conv, const MovedTaps& taps, const Shape& weight) {
  relay::Attrs attrs = conv.attrs;
  const auto axis = static_cast<size_t>(taps.axis - 2);
  std::array<int64_t, 4> padding = Padding4(attrs);
  padding[axis] = padding[axis + 2] = 0;
  std::array<int64_t, 2> dilation = Pair(attrs, "dilation");
  dilation[axis] *= taps.moved;
  attrs.Set("padding", Ints(padding.begin(), padding.end()));
  attrs.Set("dilation", Ints(dilation.begin(), dilation.end()));
  if (attrs.Find("kernel_size") != nullptr) attrs.Set("kernel_size", Ints{weight[2], weight[3]});

  return attrs;
}

ExprPtr WithMovedTaps(const ExprPtr& node, const Uses&) {
  const Call* conv = relay::AsCallTo(node, "nn.conv2d");
  if (conv == nullptr || !IsOfFewChannels(*conv)) return nullptr;
  const std::optional<MovedTaps> taps = FewestSteps(*conv);
  if (!taps) return nullptr;
  const relay::Constant& weight = *relay::AsConstant(conv->args[1]);
  const std::array<int64_t, 4> padding = Padding4(conv->attrs);
  const auto axis = static_cast<size_t>(taps->axis - 2);
  const ExprPtr image = Bordered(conv->args[0], taps->axis, padding[axis], padding[axis + 2] + taps->missing);
  Tensor wide = MovedWeight(weight.value, *taps);
  relay::Attrs attrs = MovedAttrs(*conv, *taps, wide.shape());
  return TypedCall("nn.conv2d", {Moved(image, *taps), relay::MakeConstant(std::move(wide), weight.name)},
                   std::move(attrs), conv->name);
}

}  // namespace

relay::IRModule TapsAsChannels(const relay::IRModule& module) { return RewriteByRules(module, {WithMovedTaps}); }

}  // namespace hone
