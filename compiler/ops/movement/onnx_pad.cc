// Pad: elements beside those of an axis, or fewer of them.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "compiler/frontend/onnx/expressions.h"
#include "compiler/ops/onnx_families.h"
#include "core/nth.h"
#include "core/tensor.h"

namespace hone {
namespace {

using relay::ExprPtr;

constexpr int64_t kWidest = int64_t{1} << 31;

// Begin and end of each dimension, in Relay's order, from ONNX's order (all begins, then all ends).
std::vector<int64_t> PadWidth(const OnnxNodeView& view, const std::vector<int64_t>& pads) {
  const int64_t rank = view.InputRank(0);
  std::vector<int64_t> axes;
  for (int64_t i = 0; i < rank; ++i) axes.push_back(i);
  if (const auto given = view.InputInts(3, "axes")) axes = OnnxNodeView::Axes(*given, rank);
  if (pads.size() != 2 * axes.size()) RefuseNode(fmt::format("{} pads for {} axes", pads.size(), axes.size()));
  std::vector<int64_t> width(static_cast<size_t>(2 * rank), 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    for (const int64_t pad : {pads[i], pads[i + axes.size()]}) {
      if (pad < -kWidest || pad > kWidest) RefuseNode(fmt::format("a pad of {} is not supported", pad));
    }
    Nth(width, 2 * axes[i]) = pads[i];
    Nth(width, 2 * axes[i] + 1) = pads[i + axes.size()];
  }
  return width;
}

// The padding value; nullopt if it is computed, or more than a double holds.
std::optional<double> PadValue(const OnnxNodeView& view) {
  if (view.opset() < 11) return view.Float("value", 0);
  if (!view.HasInput(2)) return 0;
  if (ElementCount(view.InputShape(2)) != 1) RefuseNode("its value must be one number");
  const Tensor* value = view.InputValue(2);
  return value != nullptr && HeldByDouble(*value, 0) ? std::optional(value->At(0)) : std::nullopt;
}

// Pads with zeros and then replaces these by a computed number.
ExprPtr PaddedByComputed(const OnnxNodeView& view, const std::vector<int64_t>& width) {
  const ExprPtr value = view.Reshape(view.Input(2), {});
  ExprPtr data = view.Call("nn.pad", {view.Input(0)}, {{"pad_width", width}});
  const int64_t rank = view.InputRank(0);
  for (int64_t d = 0; d < rank; ++d) {
    const int64_t before = Nth(width, 2 * d), after = Nth(width, 2 * d + 1), extent = Nth(view.InputShape(0), d);
    if (before + after == 0) continue;
    view.builder().Spend((before + extent + after) * 8);
    const ExprPtr at = PositionsAlong(view.builder(), data, d, d, rank, -before);
    const ExprPtr inside =
        view.Call("logical_and", {WithScalar(view, "greater_equal", at, 0),
                                  view.Call("less", {at, ExtentOf(view.builder(), view.Input(0), d)})});
    data = view.Call("where", {inside, data, value});
  }
  return data;
}

// Repeats or mirrors elements at the ends that are there: position p of n elements reads from max(p, -p), and from the
// mirrored place behind the last one. At an edge it reads the edge.
ExprPtr Mirrored(const OnnxNodeView& view, const std::string& mode, const std::vector<int64_t>& width) {
  TypedBuilder& builder = view.builder();
  ExprPtr data = view.Input(0);
  for (int64_t d = 0; d < view.InputRank(0); ++d) {
    const int64_t before = Nth(width, 2 * d), after = Nth(width, 2 * d + 1);
    if (before + after == 0) continue;
    const ExprPtr extent = ExtentOf(builder, data, d);
    const ExprPtr last = WithScalar(view, "subtract", extent, 1);
    ExprPtr from = Positions(before + Nth(builder.ShapeOf(data), d) + after, 0, 1, -before);
    if (mode == "reflect") {
      from = view.Call("maximum", {from, view.Call("negative", {from})});
      from = view.Call("minimum", {from, view.Call("subtract", {WithScalar(view, "multiply", last, 2), from})});
    }
    from = WithScalar(view, "maximum", view.Call("minimum", {from, last}), 0);
    if (IsCounted(builder, data, d)) builder.SetCounts(from, {WithScalar(view, "add", extent, before + after)});
    data = view.Call("take", {data, from}, {{"axis", d}});
  }
  return data;
}

ExprPtr PaddedBy(const OnnxNodeView& view, const std::string& mode, const std::vector<int64_t>& width) {
  if (mode != "constant" && !view.builder().CountsOf(view.Input(0)).empty()) return Mirrored(view, mode, width);
  const std::optional<double> value = mode == "constant" ? PadValue(view) : 0;
  if (!value) return PaddedByComputed(view, width);
  return view.Call("nn.pad", {view.Input(0)}, {{"pad_width", width}, {"pad_mode", mode}, {"pad_value", *value}});
}

// The elements [begin, end) of an axis that repeats itself: begin may be negative and end beyond the extent.
ExprPtr Repeated(const OnnxNodeView& view, const ExprPtr& data, int64_t axis, int64_t begin, int64_t end) {
  const int64_t extent = Nth(view.builder().ShapeOf(data), axis);
  std::vector<ExprPtr> parts;
  for (int64_t at = begin; at < end;) {
    const int64_t first = (at % extent + extent) % extent, count = std::min(extent - first, end - at);
    parts.push_back(count == extent ? data
                                    : view.Call("strided_slice", {data},
                                                {{"begin", std::vector<int64_t>{first}},
                                                 {"end", std::vector<int64_t>{first + count}},
                                                 {"axes", std::vector<int64_t>{axis}}}));
    at += count;
  }
  return view.builder().CallOnTuple("concatenate", parts, {{"axis", axis}});
}

// Beyond one end follow the elements from the other end.
ExprPtr Wrapped(const OnnxNodeView& view, ExprPtr data, const std::vector<int64_t>& width) {
  constexpr int64_t kMostRounds = 64;
  for (size_t d = 0; d < width.size() / 2; ++d) {
    const int64_t extent = view.InputShape(0)[d], before = width[2 * d], after = width[2 * d + 1];
    if (before == 0 && after == 0) continue;
    if (extent == 0) RefuseNode("nothing is there to wrap");
    const auto axis = static_cast<int64_t>(d);
    if (before + after <= kMostRounds * extent) {
      data = Repeated(view, data, axis, -before, extent + after);
      continue;
    }
    view.builder().Spend((extent + before + after) * 8);
    std::vector<int64_t> from;
    for (int64_t i = -before; i < extent + after; ++i) from.push_back((i % extent + extent) % extent);
    const Tensor indices = Tensor::FromVector<int64_t>(DType::kInt64, {static_cast<int64_t>(from.size())}, from);
    data = view.Call("take", {data, relay::MakeConstant(indices)}, {{"axis", axis}});
  }
  return data;
}

// A negative pad removes elements.
ExprPtr Cropped(const OnnxNodeView& view, const ExprPtr& data, const std::vector<int64_t>& width) {
  Shape begin, end;
  for (size_t d = 0; d < width.size() / 2; ++d) {
    if ((width[2 * d] < 0 || width[2 * d + 1] < 0) && IsCounted(view.builder(), data, static_cast<int64_t>(d))) {
      RefuseNode(fmt::format("a negative pad of axis {}, whose extent is counted in a run", d));
    }
    begin.push_back(std::max<int64_t>(0, -width[2 * d]));
    end.push_back(view.builder().ShapeOf(data)[d] - std::max<int64_t>(0, -width[2 * d + 1]));
    if (end[d] < begin[d]) RefuseNode(fmt::format("nothing is left of axis {}", d));
  }
  return view.Call("strided_slice", {data}, {{"begin", begin}, {"end", end}});
}

bool AnyOf(const std::vector<int64_t>& width, bool (*wanted)(int64_t)) {
  return std::any_of(width.begin(), width.end(), wanted);
}

std::vector<ExprPtr> Pad(const OnnxNodeView& view) {
  const std::string mode = view.String("mode", "constant");
  if (mode != "constant" && mode != "reflect" && mode != "edge" && mode != "wrap") {
    RefuseNode(fmt::format("mode \"{}\" is not supported; constant, reflect, edge and wrap are", mode));
  }
  const auto given = view.InputInts(1, "pads");
  const std::vector<int64_t> width = PadWidth(view, given ? *given : view.Ints("pads", {}));
  std::vector<int64_t> grown;
  for (const int64_t pad : width) grown.push_back(std::max<int64_t>(0, pad));
  ExprPtr data = view.Input(0);
  if (mode == "wrap" && !view.builder().CountsOf(data).empty()) RefuseNode("mode wrap of extents counted in a run");
  if (mode == "wrap") {
    data = Wrapped(view, data, grown);
  } else if (AnyOf(grown, [](int64_t pad) { return pad > 0; })) {
    data = PaddedBy(view, mode, grown);
  }
  return {AnyOf(width, [](int64_t pad) { return pad < 0; }) ? Cropped(view, data, width) : data};
}

}  // namespace

OnnxOperatorTable PadOperators() {
  return {{"Pad",
           1,
           4,
           Pad,
           {"mode", "pads", "value"},
           {.becomes = "concatenate nn.pad strided_slice take where", .takes_counts = true}},
          {"Pad", 2, 3, Pad, {"mode"}, {}, kMicrosoft}};
}

}  // namespace hone
