// Pad: elements beside those of an axis, or fewer of them.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <utility>

#include "compiler/frontend/onnx/computed_dims.h"
#include "compiler/frontend/onnx/expressions.h"
#include "compiler/ops/onnx_families.h"
#include "core/nth.h"
#include "core/tensor.h"

namespace hone {
namespace {

using relay::ExprPtr;

constexpr int64_t kWidest = int64_t{1} << 31;

// Begin and end of each axis, in Relay's order, from ONNX's order (all begins, then all ends). An amount below 0
// removes elements.
std::vector<ComputedDim> Amounts(const OnnxNodeView& view) {
  const int64_t rank = view.InputRank(0);
  std::vector<int64_t> axes(static_cast<size_t>(rank));
  std::iota(axes.begin(), axes.end(), int64_t{0});
  if (const auto given = view.InputInts(3, "axes")) axes = OnnxNodeView::Axes(*given, rank);
  const bool computed = view.HasInput(1) && view.InputValue(1) == nullptr;
  std::vector<ComputedDim> pads;
  if (computed) {
    pads = ComputedDims(view, 1, "pads");
  } else {
    const auto given = view.InputInts(1, "pads");
    for (const int64_t pad : given ? *given : view.Ints("pads", {})) pads.push_back({pad, nullptr});
  }
  if (pads.size() != 2 * axes.size()) RefuseNode(fmt::format("{} pads for {} axes", pads.size(), axes.size()));
  std::vector<ComputedDim> amounts(static_cast<size_t>(2 * rank));
  for (size_t i = 0; i < pads.size(); ++i) {
    if (std::abs(pads[i].number) > kWidest) RefuseNode(fmt::format("a pad of {} is not supported", pads[i].number));
    Nth(amounts, 2 * axes[i % axes.size()] + (i < axes.size() ? 0 : 1)) = pads[i];
  }
  return amounts;
}

// The padding value; nullopt if it is computed, or more than a double holds.
std::optional<double> PadValue(const OnnxNodeView& view) {
  if (view.opset() < 11) return view.Float("value", 0);
  if (!view.HasInput(2)) return 0;
  if (ElementCount(view.InputShape(2)) != 1) RefuseNode("its value must be one number");
  const Tensor* value = view.InputValue(2);
  return value != nullptr && HeldByDouble(*value, 0) ? std::optional(value->At(0)) : std::nullopt;
}

// One axis of a pad whose result only a run knows: amounts or an extent that it decides, or a computed value. Position
// p of the result takes the element p - before, or what the mode has there.
class PlacedAxis {
 public:
  PlacedAxis(const OnnxNodeView& view, ExprPtr data, int64_t axis)
      : view_(view), data_(std::move(data)), axis_(axis), extent_(ExtentOf(view.builder(), data_, axis)) {}

  ExprPtr Padded(const ComputedDim& before, const ComputedDim& after, const std::string& mode) const {
    TypedBuilder& builder = view_.builder();
    const int64_t dim = Nth(builder.ShapeOf(data_), axis_);
    if (dim == 0) RefuseNode(fmt::format("axis {} has no elements to pad", axis_));
    const ExprPtr begin = NumberOf(before);
    const ExprPtr count = view_.Call("add", {view_.Call("add", {extent_, begin}), NumberOf(after)});
    const auto known = builder.extents().FormOf(count).known();
    if (known && *known < 0) RefuseNode(fmt::format("nothing is left of axis {}", axis_));
    const int64_t most = known ? *known : MostOf(view_, count, "pads");
    builder.Spend(most * 8);
    const ExprPtr every = Positions(most, 0, 1);
    if (!known) builder.SetCounts(every, {count});
    const ExprPtr places = view_.Call("subtract", {every, begin});
    const ExprPtr taken = view_.Call("take", {data_, Source(places, mode)}, {{"axis", axis_}});
    return mode == "constant" ? WithValue(taken, places) : taken;
  }

 private:
  static ExprPtr NumberOf(const ComputedDim& amount) {
    return amount.is_known() ? CountOf(amount.number) : amount.count;
  }

  // The elements that places take, which may lie outside the axis.
  ExprPtr Source(ExprPtr places, const std::string& mode) const {
    if (mode == "wrap") return view_.Call("floor_mod", {places, WithScalar(view_, "maximum", extent_, 1)});
    const ExprPtr last = WithScalar(view_, "subtract", extent_, 1);
    if (mode == "reflect") {
      places = view_.Call("maximum", {places, view_.Call("negative", {places})});
      places =
          view_.Call("minimum", {places, view_.Call("subtract", {WithScalar(view_, "multiply", last, 2), places})});
    }
    return WithScalar(view_, "maximum", view_.Call("minimum", {places, last}), 0);
  }

  ExprPtr WithValue(const ExprPtr& taken, const ExprPtr& places) const {
    const auto known = PadValue(view_);
    const ExprPtr value = known ? ScalarLike(view_, taken, *known) : view_.Reshape(view_.Input(2), {});
    ExprPtr inside = view_.Call("logical_and",
                                {WithScalar(view_, "greater_equal", places, 0), view_.Call("less", {places, extent_})});
    const int64_t behind = static_cast<int64_t>(view_.builder().ShapeOf(taken).size()) - 1 - axis_;
    if (behind > 0) inside = view_.Call("expand_dims", {inside}, {{"axis", int64_t{1}}, {"num_newaxis", behind}});
    return view_.Call("where", {inside, taken, value});
  }

  const OnnxNodeView& view_;
  const ExprPtr data_;
  const int64_t axis_;
  const ExprPtr extent_;
};

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
    const int64_t extent = view.builder().ShapeOf(data)[d], before = width[2 * d], after = width[2 * d + 1];
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

// Whether the axis must be placed. Amounts that are known move elements of a known extent, and add a known value behind
// any others.
bool MustBePlaced(const OnnxNodeView& view, int64_t axis, const ComputedDim& before, const ComputedDim& after,
                  const std::string& mode) {
  if (!before.is_known() || !after.is_known()) return true;
  if (before.number == 0 && after.number == 0) return false;
  const bool adds_value = mode == "constant" && PadValue(view);
  if (mode == "constant" && !adds_value && std::max(before.number, after.number) > 0) return true;
  return IsCounted(view.builder(), view.Input(0), axis) && (!adds_value || std::min(before.number, after.number) < 0);
}

ExprPtr Widened(const OnnxNodeView& view, const ExprPtr& data, const std::string& mode, std::vector<int64_t> width) {
  for (int64_t& amount : width) amount = std::max<int64_t>(amount, 0);
  if (std::ranges::all_of(width, [](int64_t amount) { return amount == 0; })) return data;
  if (mode == "wrap") return Wrapped(view, data, width);
  const double value = mode == "constant" ? PadValue(view).value_or(0) : 0;
  return view.Call("nn.pad", {data}, {{"pad_width", width}, {"pad_mode", mode}, {"pad_value", value}});
}

ExprPtr Cropped(const OnnxNodeView& view, const ExprPtr& data, const std::vector<int64_t>& width) {
  if (std::ranges::all_of(width, [](int64_t amount) { return amount >= 0; })) return data;
  Shape begin, end;
  std::vector<int64_t> axes;
  for (size_t d = 0; d < width.size() / 2; ++d) {
    const int64_t front = std::max<int64_t>(0, -width[2 * d]), back = std::max<int64_t>(0, -width[2 * d + 1]);
    if (front == 0 && back == 0) continue;
    axes.push_back(static_cast<int64_t>(d));
    begin.push_back(front);
    end.push_back(view.builder().ShapeOf(data)[d] - back);
    if (end.back() < begin.back()) RefuseNode(fmt::format("nothing is left of axis {}", d));
  }
  return view.Call("strided_slice", {data}, {{"begin", begin}, {"end", end}, {"axes", axes}});
}

std::vector<ExprPtr> Pad(const OnnxNodeView& view) {
  const std::string mode = view.String("mode", "constant");
  if (mode != "constant" && mode != "reflect" && mode != "edge" && mode != "wrap") {
    RefuseNode(fmt::format("mode \"{}\" is not supported; constant, reflect, edge and wrap are", mode));
  }
  const std::vector<ComputedDim> amounts = Amounts(view);
  std::vector<int64_t> width(amounts.size());
  ExprPtr data = view.Input(0);
  for (int64_t d = 0; d < view.InputRank(0); ++d) {
    const ComputedDim &before = Nth(amounts, 2 * d), &after = Nth(amounts, 2 * d + 1);
    if (MustBePlaced(view, d, before, after, mode)) {
      data = PlacedAxis(view, data, d).Padded(before, after, mode);
    } else {
      Nth(width, 2 * d) = before.number;
      Nth(width, 2 * d + 1) = after.number;
    }
  }
  return {Cropped(view, Widened(view, data, mode, width), width)};
}

}  // namespace

OnnxOperatorTable PadOperators() {
  return {{"Pad",
           1,
           4,
           Pad,
           {"mode", "pads", "value"},
           {.becomes = "add concatenate greater_equal less logical_and maximum minimum nn.pad strided_slice "
                       "subtract take where",
            .takes_counts = true}},
          {"Pad", 2, 3, Pad, {"mode"}, {.takes_counts = true}, kMicrosoft}};
}

}  // namespace hone
