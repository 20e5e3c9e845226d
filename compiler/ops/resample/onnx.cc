// Resize and Upsample: along each axis an output is one input, an interpolation of two, or a blend of several.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "compiler/frontend/onnx/expressions.h"
#include "compiler/ops/onnx_families.h"
#include "compiler/ops/resample/onnx_axes.h"
#include "core/nth.h"

namespace hone {
namespace {

using relay::ExprPtr;

// The interpolation, by ONNX's names.
enum class ResizeMode : uint8_t { kNearest, kLinear, kCubic };

struct ResizeRule {
  ResizeMode mode = ResizeMode::kNearest;
  std::string coordinates;
  std::string nearest;
  double cubic = -0.75;
  bool antialias = false;
  bool exclude_outside = false;
  double extrapolation = 0;  // value where a crop reaches beyond the data
};

constexpr std::string_view kCrop = "tf_crop_and_resize";

// Computed in float32, as by ONNX Runtime and ONNX's reference: a third of 9 is 3 there, but slightly less in float64.
float SourceOf(const ResizedAxis& a, const ResizeRule& rule, int64_t out) {
  const auto o = static_cast<float>(out), length = static_cast<float>(a.out), from = static_cast<float>(a.in);
  if (rule.coordinates == "asymmetric") return o / a.scale;
  if (rule.coordinates == kCrop) {
    return a.out > 1 ? a.begin * (from - 1) + o * (a.end - a.begin) * (from - 1) / (length - 1)
                     : 0.5F * (a.begin + a.end) * (from - 1);
  }
  // ONNX means the length before it is truncated to an integer.
  if (rule.coordinates == "align_corners") return a.out > 1 ? o * (from - 1) / (from * a.scale - 1) : 0;
  if (rule.coordinates == "pytorch_half_pixel" && a.out == 1) return 0;
  if (rule.coordinates == "tf_half_pixel_for_nn") return (o + 0.5F) / a.scale;
  const float middle = (o + 0.5F) / a.scale;
  if (rule.coordinates != "half_pixel_symmetric") return middle - 0.5F;
  return from / 2 * (1 - length / (a.scale * from)) + middle - 0.5F;
}

// Rounds ties down or up. A float32 quotient may miss a tie by a unit in the last place; ONNX Runtime still counts it
// as one.
double Rounded(double x, const std::string& mode) {
  constexpr double kTie = 0.5 + 1e-6;
  if (mode == "floor") return std::floor(x);
  if (mode == "ceil") return std::ceil(x);
  return mode == "round_prefer_ceil" ? std::floor(x + kTie) : std::ceil(x - kTie);
}

int64_t Inside(double position, const ResizedAxis& a) {
  return std::clamp<int64_t>(static_cast<int64_t>(position), 0, a.in - 1);
}

ExprPtr Taken(const OnnxNodeView& view, const ExprPtr& data, const ResizedAxis& a,
              const std::vector<int64_t>& indices) {
  const Tensor tensor = Tensor::FromVector<int64_t>(DType::kInt64, {a.out}, indices);
  if (a.out_count == nullptr) return view.Call("take", {data, relay::MakeConstant(tensor)}, {{"axis", a.axis}});
  // Positions are those of the greatest extent, up to the last element that is there.
  const ExprPtr last = view.Call("subtract", {ExtentOf(view.builder(), data, a.axis), CountOf(1)});
  const ExprPtr places = view.Call("minimum", {relay::MakeConstant(tensor), last});
  view.builder().SetCounts(places, {a.out_count});
  return view.Call("take", {data, places}, {{"axis", a.axis}});
}

ExprPtr Nearest(const OnnxNodeView& view, const ExprPtr& data, const ResizedAxis& a, const ResizeRule& rule) {
  std::vector<int64_t> indices;
  indices.reserve(static_cast<size_t>(a.out));
  for (int64_t o = 0; o < a.out; ++o) indices.push_back(Inside(Rounded(SourceOf(a, rule, o), rule.nearest), a));
  return Taken(view, data, a, indices);
}

// A factor for each position of the result, as a constant of `shape`, whose first axis is the resized one.
ExprPtr WeightsAlong(const OnnxNodeView& view, const ResizedAxis& a, const Shape& shape,
                     const std::vector<float>& weights) {
  const ExprPtr factors = relay::MakeConstant(Tensor::FromVector<float>(DType::kFloat32, shape, weights));
  Counts counts(shape.size());
  counts[0] = a.out_count;
  view.builder().SetCounts(factors, std::move(counts));
  return factors;
}

// below * (1 - share) + above * share, but two equal infinities do not give NaN. Bytes become floats after they are
// taken, because few elements of a large image are.
ExprPtr Linear(const OnnxNodeView& view, const ExprPtr& data, const ResizedAxis& a, const ResizeRule& rule) {
  std::vector<int64_t> below, above;
  std::vector<float> share, rest;
  for (int64_t o = 0; o < a.out; ++o) {
    const float source = std::clamp(SourceOf(a, rule, o), 0.0F, static_cast<float>(a.in - 1));
    below.push_back(Inside(std::floor(source), a));
    above.push_back(Inside(std::floor(source) + 1, a));
    share.push_back(source - std::floor(source));
    rest.push_back(1 - share.back());
  }
  Shape shape(view.builder().ShapeOf(data).size() - static_cast<size_t>(a.axis), 1);
  shape[0] = a.out;
  const auto taken = [&](const std::vector<int64_t>& places) {
    return AsDType(view, Taken(view, data, a, places), DType::kFloat32);
  };
  const ExprPtr low = taken(below), high = taken(above);
  const auto weighed = [&](const ExprPtr& side, const std::vector<float>& weights) {
    return view.Call("multiply", {side, WeightsAlong(view, a, shape, weights)});
  };
  return view.Call("add", {weighed(low, rest), weighed(high, share)});
}

// Weights of a blend over neighbours; the taps of each output are contiguous.
struct Taps {
  int64_t count = 0;
  std::vector<int64_t> from;  // out x count
  std::vector<float> weights;
};

// The weight of the tap at distance x. It is the triangle, or Keys's cubic with the parameter `a` (Keys, IEEE
// Transactions on Acoustics, Speech, and Signal Processing 29, 1981, equation 15 for a = -1/2).
double Kernel(const ResizeRule& rule, double x) {
  const double d = std::abs(x), a = rule.cubic;
  if (rule.mode == ResizeMode::kLinear) return std::max(0.0, 1 - d);
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

// With antialias the kernel is stretched when the image shrinks, so that it skips no input. Taps past an end read the
// end element, or do not count.
Taps TapsOf(const ResizedAxis& a, const ResizeRule& rule) {
  constexpr int64_t kMostTaps = 512;
  const double stretch = rule.antialias ? std::min(1.0F, a.scale) : 1;
  const double reach = (rule.mode == ResizeMode::kLinear ? 1 : 2) / stretch;
  Taps taps{2 * static_cast<int64_t>(std::ceil(reach)), {}, {}};
  if (taps.count > kMostTaps) RefuseNode(fmt::format("a scale of {} blends {} elements into one", a.scale, taps.count));
  for (int64_t o = 0; o < a.out; ++o) {
    const double source = SourceOf(a, rule, o);
    const auto first = static_cast<int64_t>(std::floor(source)) + 1 - taps.count / 2;
    double sum = 0;
    for (int64_t i = first; i < first + taps.count; ++i) {
      const bool counts = !rule.exclude_outside || (i >= 0 && i < a.in);
      const double weight = counts ? Kernel(rule, (static_cast<double>(i) - source) * stretch) : 0;
      taps.from.push_back(std::clamp<int64_t>(i, 0, a.in - 1));
      taps.weights.push_back(static_cast<float>(weight));
      sum += weight;
    }
    for (int64_t i = 0; i < taps.count; ++i) Nth(taps.weights, o * taps.count + i) /= static_cast<float>(sum);
  }
  return taps;
}

ExprPtr Blended(const OnnxNodeView& view, const ExprPtr& data, const ResizedAxis& a, const ResizeRule& rule) {
  const Taps taps = TapsOf(a, rule);
  view.builder().Spend(a.out * taps.count * 12);
  Shape shape(view.builder().ShapeOf(data).size() - static_cast<size_t>(a.axis), 1);
  shape[0] = a.out;
  ExprPtr result;
  for (int64_t tap = 0; tap < taps.count; ++tap) {
    std::vector<int64_t> from;
    std::vector<float> weights;
    for (auto i = static_cast<size_t>(tap); i < taps.from.size(); i += static_cast<size_t>(taps.count)) {
      from.push_back(taps.from[i]);
      weights.push_back(taps.weights[i]);
    }
    const ExprPtr factor = WeightsAlong(view, a, shape, weights);
    const ExprPtr term = view.Call("multiply", {Taken(view, data, a, from), factor});
    result = result ? view.Call("add", {result, term}) : term;
  }
  return result;
}

// Replaces positions beyond the data along the axis by the extrapolation value.
ExprPtr Extrapolated(const OnnxNodeView& view, const ExprPtr& data, const ResizedAxis& a, const ResizeRule& rule) {
  Shape shape(view.builder().ShapeOf(data).size() - static_cast<size_t>(a.axis), 1);
  shape[0] = a.out;
  Tensor beyond(DType::kBool, shape);
  bool any = false;
  for (int64_t o = 0; o < a.out; ++o) {
    const float source = SourceOf(a, rule, o);
    if (source >= 0 && source <= static_cast<float>(a.in - 1)) continue;
    beyond.Set(o, 1);
    any = true;
  }
  if (!any) return data;
  return view.Call("where", {relay::MakeConstant(beyond), ScalarLike(view, data, rule.extrapolation), data});
}

bool LiesBetweenTwo(const ResizeRule& rule) {
  return rule.mode == ResizeMode::kLinear && !rule.antialias && !rule.exclude_outside;
}

ExprPtr AlongAxis(const OnnxNodeView& view, const ExprPtr& data, const ResizedAxis& a, const ResizeRule& rule) {
  if (rule.mode == ResizeMode::kNearest) return Nearest(view, data, a, rule);
  return LiesBetweenTwo(rule) ? Linear(view, data, a, rule) : Blended(view, data, a, rule);
}

constexpr int64_t kMostOut = int64_t{1} << 31;  // far beyond the limit of Spend

// Whether the places that an output is made of depend on the extents, beyond an end that repeats.
bool DependsOnExtents(const OnnxNodeView& view, const ResizedAxis& a, const ResizeRule& rule) {
  if (rule.coordinates == "pytorch_half_pixel") {
    ExtentForms& extents = view.builder().extents();
    if (extents.RangeOf(extents.FormOf(a.out_count)).least < 2) return true;
  }
  return rule.coordinates == "align_corners" || rule.coordinates == "half_pixel_symmetric" ||
         rule.coordinates == kCrop || rule.exclude_outside;
}

// Reads the crop's begins, then its ends, one of each per axis.
void ReadCrop(const OnnxNodeView& view, std::vector<ResizedAxis>& axes) {
  const Tensor* roi = view.HasInput(1) ? view.InputValue(1) : nullptr;
  const auto count = static_cast<int64_t>(axes.size());
  if (roi == nullptr || roi->elements() != 2 * count) {
    RefuseNode(fmt::format("its roi must be {} numbers that are known when it is imported", 2 * count));
  }
  for (int64_t i = 0; i < count; ++i) {
    Nth(axes, i).begin = static_cast<float>(roi->At(i));
    Nth(axes, i).end = static_cast<float>(roi->At(i + count));
    if (!std::isfinite(roi->At(i)) || !std::isfinite(roi->At(i + count))) RefuseNode("its roi is not finite");
    if (std::max(std::abs(roi->At(i)), std::abs(roi->At(i + count))) > 1e6) RefuseNode("its roi is beyond 1e6");
  }
}

// Rounds blends of integers, halves to even, and holds cubic ones within the range of types that float32 can hold.
ExprPtr RoundedBlend(const OnnxNodeView& view, const ExprPtr& data, DType dtype) {
  if (IsFloat(dtype) || !IsFloat(view.builder().DTypeOf(data))) return AsDType(view, data, dtype);
  const ExprPtr rounded = view.Call("round", {data});
  const NarrowType* narrow = view.InputNarrow(0);
  double low = dtype == DType::kInt8 ? -128 : 0, high = dtype == DType::kInt8 ? 127 : 255;
  if (narrow != nullptr) {
    low = narrow->low();
    high = narrow->high();
  } else if (DTypeBytes(dtype) > 1) {
    return AsDType(view, rounded, dtype);
  }
  return AsDType(view, view.Call("clip", {rounded}, {{"a_min", low}, {"a_max", high}}), dtype);
}

std::vector<ExprPtr> Resized(const OnnxNodeView& view, std::vector<ResizedAxis> axes, const ResizeRule& rule) {
  const DType dtype = view.builder().DTypeOf(view.Input(0));
  const bool blends = rule.mode != ResizeMode::kNearest;
  ExprPtr data = blends && !LiesBetweenTwo(rule) ? AsDType(view, view.Input(0), DType::kFloat32) : view.Input(0);
  const bool crops = rule.coordinates == kCrop;
  if (crops) ReadCrop(view, axes);
  for (const ResizedAxis& a : axes) {
    if (a.in == 0 && a.out == 0) continue;
    if (a.out < 1) RefuseNode(fmt::format("axis {} of {} becomes {}; nothing is left", a.axis, a.in, a.out));
    if (a.out > kMostOut)
      RefuseNode(fmt::format("axis {} of {} becomes {}; {} is the most", a.axis, a.in, a.out, kMostOut));
    if (a.out_count != nullptr && a.scale != 1 && DependsOnExtents(view, a, rule)) {
      RefuseNode(
          fmt::format("axis {} is counted in a run; it resizes such axes with asymmetric or half_pixel only", a.axis));
    }
    if (a.out == a.in && a.scale == 1 && (!crops || (a.begin == 0 && a.end == 1))) continue;
    view.builder().Spend(a.out * 24);
    data = AlongAxis(view, data, a, rule);
  }
  for (const ResizedAxis& a : axes) data = crops && a.in > 0 ? Extrapolated(view, data, a, rule) : data;
  return {RoundedBlend(view, data, dtype)};
}

ResizeMode ReadMode(const OnnxNodeView& view) {
  const std::string mode = view.String("mode", "nearest");
  if (mode == "nearest") return ResizeMode::kNearest;
  if (mode == "cubic") return ResizeMode::kCubic;
  if (mode == "linear" || mode == "bilinear") return ResizeMode::kLinear;
  RefuseNode(fmt::format("mode=\"{}\" is not supported; \"nearest\", \"linear\" and \"cubic\" are", mode));
}

void RefuseWhatIsLeftOut(const OnnxNodeView& view, const std::string& coordinates) {
  static constexpr std::string_view kKnown[] = {"half_pixel", "pytorch_half_pixel",   "align_corners",
                                                "asymmetric", "half_pixel_symmetric", "tf_half_pixel_for_nn",
                                                kCrop};
  if (std::find(std::begin(kKnown), std::end(kKnown), coordinates) == std::end(kKnown)) {
    RefuseNode(
        fmt::format("coordinate_transformation_mode=\"{}\" is not supported; \"half_pixel\", \"asymmetric\" and "
                    "\"align_corners\" are",
                    coordinates));
  }
  const std::string policy = view.String("keep_aspect_ratio_policy", "stretch");
  if (policy != "stretch" && policy != "not_larger" && policy != "not_smaller") {
    RefuseNode(
        fmt::format("keep_aspect_ratio_policy=\"{}\" is not known; stretch, not_larger and not_smaller are", policy));
  }
}

std::vector<ExprPtr> Resize(const OnnxNodeView& view) {
  // Opset 10 had inputs x and scales, and one rule.
  const bool first = view.opset() < 11;
  const ResizeRule rule{ReadMode(view),
                        first ? "asymmetric" : view.String("coordinate_transformation_mode", "half_pixel"),
                        first ? "floor" : view.String("nearest_mode", "round_prefer_floor"),
                        view.Float("cubic_coeff_a", -0.75),
                        view.Int("antialias", 0) != 0,
                        view.Int("exclude_outside", 0) != 0,
                        view.Float("extrapolation_value", 0)};
  RefuseWhatIsLeftOut(view, rule.coordinates);
  if (HasSizes(view)) return Resized(view, AxesBySizes(view), rule);
  return Resized(view, AxesByScales(view, ResizeScales(view, first ? 1 : 2)), rule);
}

std::vector<ExprPtr> Upsample(const OnnxNodeView& view) {
  const ResizeRule rule{ReadMode(view), "asymmetric", "floor", -0.75, false, false, 0};
  return Resized(view, AxesByScales(view, ResizeScales(view, 1)), rule);
}

}  // namespace

OnnxOperatorTable ResizeOperators() {
  return {
      {"Resize",
       1,
       4,
       Resize,
       {"antialias", "axes", "coordinate_transformation_mode", "cubic_coeff_a", "exclude_outside",
        "extrapolation_value", "keep_aspect_ratio_policy", "mode", "nearest_mode"},
       {.becomes = "add cast clip multiply round take where", .takes_counts = true}},
      {"Upsample", 1, 2, Upsample, {"mode", "scales"}, {.becomes = "take", .takes_counts = true}},
  };
}

}  // namespace hone
