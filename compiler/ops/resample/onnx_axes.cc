#include "compiler/ops/resample/onnx_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/frontend/onnx/computed_dims.h"
#include "compiler/frontend/onnx/expressions.h"

namespace hone {
namespace {

using relay::ExprPtr;

// The axes to which the `given` numbers belong.
std::vector<int64_t> ResizeAxes(const OnnxNodeView& view, size_t given, std::string_view what) {
  const int64_t rank = view.InputRank(0);
  std::vector<int64_t> axes(static_cast<size_t>(rank));
  std::iota(axes.begin(), axes.end(), int64_t{0});
  axes = OnnxNodeView::Axes(view.Ints("axes", axes), rank);
  if (given == axes.size()) return axes;
  RefuseNode(fmt::format("it has {} {}; {} is right, one for each axis", given, what, axes.size()));
}

// floor(count * scale), as AxesByScales computes it.
ExprPtr ScaledCount(const OnnxNodeView& view, int64_t axis, float scale) {
  const ExprPtr extent = ExtentOf(view.builder(), view.Input(0), axis);
  if (scale == std::floor(scale)) return view.Call("multiply", {extent, CountOf(static_cast<int64_t>(scale))});
  const ExprPtr scaled = WithScalar(view, "multiply", AsDType(view, extent, DType::kFloat32), scale);
  return AsDType(view, view.Call("floor", {scaled}), DType::kInt64);
}

constexpr int64_t kMostTimes = 1'000'000;

// The size as a multiple of the extent, by their forms or by their greatest values.
int64_t TimesOf(const OnnxNodeView& view, const ExprPtr& size, const ExprPtr& extent) {
  TypedBuilder& builder = view.builder();
  const auto exact = Quotient(builder.extents().FormOf(size), builder.extents().FormOf(extent));
  if (const auto times = exact ? exact->known() : std::nullopt; times && *times > 0 && *times <= kMostTimes) {
    return *times;
  }
  const auto most = builder.BoundOf(size), of = builder.BoundOf(extent);
  const int64_t times = most && of && *of > 0 ? (*most + *of / 2) / *of : 0;
  if (times < 1 || times > kMostTimes || *most > *of * times || *most <= *of * times - times) {
    RefuseNode("its sizes must be known when the model is imported, or whole multiples of the extents in each run");
  }
  return times;
}

// Sizes beside counted extents: each is the extent itself, or a whole multiple of it in each run. A known extent may
// become any known size.
std::vector<ResizedAxis> AxesByComputedSizes(const OnnxNodeView& view) {
  const std::vector<ComputedDim> sizes = ComputedDims(view, 3, "sizes");
  const std::vector<int64_t> axes = ResizeAxes(view, sizes.size(), "sizes");
  if (view.String("keep_aspect_ratio_policy", "stretch") != "stretch") {
    RefuseNode("with keep_aspect_ratio_policy its sizes and extents must be known when the model is imported");
  }
  TypedBuilder& builder = view.builder();
  std::vector<ResizedAxis> resized;
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t in = Nth(view.InputShape(0), axes[i]);
    const ExprPtr extent = ExtentOf(builder, view.Input(0), axes[i]);
    const ExprPtr size = sizes[i].is_known() ? CountOf(sizes[i].number) : sizes[i].count;
    if (sizes[i].is_known() && !IsCounted(builder, view.Input(0), axes[i])) {
      resized.push_back({axes[i], in, sizes[i].number, static_cast<float>(sizes[i].number) / static_cast<float>(in)});
      continue;
    }
    const int64_t times = TimesOf(view, size, extent);
    resized.push_back({axes[i], in, in * times, static_cast<float>(times)});
    resized.back().out_count = view.Call("multiply", {extent, CountOf(times)});
    builder.RequireEqual(resized.back().out_count, size);
  }
  return resized;
}

std::vector<ResizedAxis> AxesByKnownSizes(const OnnxNodeView& view, const std::vector<int64_t>& sizes) {
  const std::vector<int64_t> axes = ResizeAxes(view, sizes.size(), "sizes");
  std::vector<ResizedAxis> resized;
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t in = Nth(view.InputShape(0), axes[i]);
    resized.push_back({axes[i], in, sizes[i], static_cast<float>(sizes[i]) / static_cast<float>(in)});
  }
  const std::string policy = view.String("keep_aspect_ratio_policy", "stretch");
  if (policy == "stretch" || resized.empty()) return resized;
  // One scale for all axes: the least that one of the sizes needs, or the largest.
  float scale = resized[0].scale;
  for (const ResizedAxis& a : resized) {
    scale = policy == "not_larger" ? std::min(scale, a.scale) : std::max(scale, a.scale);
  }
  for (ResizedAxis& a : resized) {
    if (!(scale > 0) || scale > 1e6) RefuseNode(fmt::format("a scale is {}; it must be positive", scale));
    a.scale = scale;
    a.out = static_cast<int64_t>(std::floor(static_cast<float>(a.in) * scale + 0.5F));
  }
  return resized;
}

}  // namespace

std::vector<double> ResizeScales(const OnnxNodeView& view, int input) {
  std::vector<double> scales;
  if (!view.HasInput(input)) {
    if (const OnnxAttribute* attribute = view.Find("scales")) {
      scales.assign(attribute->floats.begin(), attribute->floats.end());
    }
    return scales;
  }
  const Tensor* value = view.InputValue(input);
  if (value == nullptr) RefuseNode("its scales are computed by the model; they must be known when it is imported");
  scales.resize(static_cast<size_t>(value->elements()));
  for (size_t i = 0; i < scales.size(); ++i) scales[i] = value->At(static_cast<int64_t>(i));
  return scales;
}

std::vector<ResizedAxis> AxesByScales(const OnnxNodeView& view, const std::vector<double>& scales) {
  const std::vector<int64_t> axes = ResizeAxes(view, scales.size(), "scales");
  std::vector<ResizedAxis> resized;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (!(scales[i] > 0) || scales[i] > 1e6) RefuseNode(fmt::format("a scale is {}; it must be positive", scales[i]));
    const int64_t in = Nth(view.InputShape(0), axes[i]);
    // The product is float32, as in ONNX's shape inference and ONNX Runtime: 10 times 0.7 is 7.
    const auto scale = static_cast<float>(scales[i]);
    const auto out = static_cast<int64_t>(std::floor(static_cast<float>(in) * scale));
    resized.push_back({axes[i], in, out, scale});
    if (IsCounted(view.builder(), view.Input(0), axes[i])) resized.back().out_count = ScaledCount(view, axes[i], scale);
  }
  return resized;
}

bool HasSizes(const OnnxNodeView& view) { return view.HasInput(3) && ElementCount(view.InputShape(3)) > 0; }

std::vector<ResizedAxis> AxesBySizes(const OnnxNodeView& view) {
  const bool counts = view.InputValue(3) == nullptr || !view.builder().CountsOf(view.Input(0)).empty();
  return counts ? AxesByComputedSizes(view) : AxesByKnownSizes(view, *view.InputInts(3, "sizes"));
}

}  // namespace hone
