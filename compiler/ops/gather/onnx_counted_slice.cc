#include "compiler/ops/gather/onnx_counted_slice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "compiler/frontend/onnx/computed_dims.h"
#include "compiler/frontend/onnx/expressions.h"
#include "core/nth.h"
#include "core/tensor.h"

namespace hone {

using relay::ExprPtr;

namespace {

using Ints = std::vector<int64_t>;

// A bound along one axis: a number, or a computed value.
struct SliceBound {
  ExprPtr computed;
  std::optional<int64_t> known;
};

SliceBound SliceBoundOf(const OnnxNodeView& view, int input, int64_t i) {
  if (const Tensor* value = view.InputValue(input)) {
    const int64_t number = IntegerAt(*value, i);
    return {CountOf(number), number};
  }
  const ExprPtr vector = AsDType(view, view.Input(input), DType::kInt64);
  const ExprPtr index = relay::MakeConstant(Tensor::FromVector<int64_t>(DType::kInt64, {}, {i}));
  return {view.Call("take", {vector, index}, {{"axis", int64_t{0}}}), std::nullopt};
}

std::vector<int64_t> SlicedAxes(const OnnxNodeView& view, int64_t bounds) {
  if (bounds > view.InputRank(0)) RefuseNode(fmt::format("{} bounds for {} axes", bounds, view.InputRank(0)));
  std::vector<int64_t> axes;
  for (int64_t i = 0; i < bounds; ++i) axes.push_back(i);
  if (const auto given = view.InputInts(3, "axes")) axes = *given;
  return OnnxNodeView::Axes(axes, view.InputRank(0));
}

// One axis of the slice: start, start + step, ... before end.
class AxisSlice {
 public:
  AxisSlice(const OnnxNodeView& view, ExprPtr data, int64_t axis, int64_t step)
      : view_(view), data_(std::move(data)), axis_(axis), step_(step), dim_(Nth(view.builder().ShapeOf(data_), axis)) {}

  ExprPtr Of(const SliceBound& start, const SliceBound& end) const {
    const ExprPtr extent = ExtentOf(view_.builder(), data_, axis_);
    // A bound is clamped to the positions from the first to the last element, whatever its value.
    const int64_t beyond = step_ > 0 ? 0 : -1;
    const ExprPtr last = Call("add", extent, CountOf(beyond));
    const auto placed = [&](const ExprPtr& bound) {
      const ExprPtr from_start =
          view_.Call("where", {Call("less", bound, CountOf(0)), Call("add", bound, extent), bound});
      return Call("minimum", Call("maximum", from_start, CountOf(beyond)), last);
    };
    const ExprPtr first = placed(start.computed), behind = placed(end.computed);
    const ExprPtr length = step_ > 0 ? Call("subtract", behind, first) : Call("subtract", first, behind);
    const int64_t size = std::abs(step_);
    const ExprPtr count =
        Call("divide", Call("add", Call("maximum", length, CountOf(0)), CountOf(size - 1)), CountOf(size));
    const int64_t most = std::min(Most(start, end), view_.builder().BoundOf(count).value_or(dim_));
    // The slice is empty for every count.
    if (most <= 0) return view_.Call("strided_slice", {data_}, Empty());
    const auto begin = view_.builder().extents().FormOf(first).known();
    if (step_ > 0 && begin && *begin + (most - 1) * step_ < dim_) return Forward(*begin, most, count);
    ExprPtr places = Call("add", first, Call("multiply", Positions(most, 0, 1), CountOf(step_)));
    places = Call("minimum", Call("maximum", places, CountOf(0)), CountOf(dim_ - 1));
    const ExprPtr slice = view_.Call("take", {data_, places}, {{"axis", axis_}});
    Counts counts = view_.builder().CountsOf(slice);
    counts.resize(view_.builder().ShapeOf(slice).size());
    Nth(counts, axis_) = count;
    view_.builder().SetCounts(slice, std::move(counts));
    return slice;
  }

 private:
  ExprPtr Call(std::string_view op, const ExprPtr& a, const ExprPtr& b) const { return view_.Call(op, {a, b}); }
  // The slice as one that moves nothing, from a known place.
  ExprPtr Forward(int64_t begin, int64_t most, const ExprPtr& count) const {
    TypedBuilder& builder = view_.builder();
    Counts counts = builder.CountsOf(data_);
    counts.resize(builder.ShapeOf(data_).size());
    Nth(counts, axis_) = count;
    // Only the positions of a run are needed. A result that begins with them and is counted tells so itself.
    const bool tells = begin == 0 && step_ == 1 && !builder.extents().FormOf(count).known();
    const ExprPtr data = tells ? data_ : FillBehindCounts(builder, data_, 0, {axis_});
    const ExprPtr slice = builder.Uncounted("strided_slice", {data},
                                            {{"begin", Ints{begin}},
                                             {"end", Ints{begin + (most - 1) * step_ + 1}},
                                             {"strides", Ints{step_}},
                                             {"axes", Ints{axis_}}});
    builder.SetCounts(slice, std::move(counts));
    return slice;
  }
  relay::Attrs Empty() const {
    return {{"begin", Ints{0}}, {"end", Ints{0}}, {"strides", Ints{1}}, {"axes", Ints{axis_}}};
  }

  // Upper bound of the slice's elements, from two bounds that count from the same end.
  int64_t Most(const SliceBound& start, const SliceBound& end) const {
    const int64_t size = std::abs(step_);
    int64_t length = dim_;
    if (step_ > 0) {
      if (start.known && *start.known >= 0) length = std::max<int64_t>(0, dim_ - *start.known);
      if (start.known && *start.known < 0) length = std::min(length, -std::max(*start.known, -dim_));
      if (end.known && *end.known >= 0) {
        const int64_t from = start.known && *start.known >= 0 ? *start.known : 0;
        length = std::min(length, std::max<int64_t>(0, std::min(*end.known, dim_) - from));
      }
    } else if (start.known && *start.known >= 0) {
      length = std::min(length, std::min(*start.known, dim_ - 1) + 1);
    }
    return (length + size - 1) / size;
  }

  const OnnxNodeView& view_;
  ExprPtr data_;
  int64_t axis_, step_, dim_;
};

}  // namespace

bool IsCountedSlice(const OnnxNodeView& view) {
  if (view.opset() < 10 || !view.HasInput(1) || !view.HasInput(2)) return false;
  if (view.InputValue(1) == nullptr || view.InputValue(2) == nullptr) return true;
  const Counts& counts = view.builder().CountsOf(view.Input(0));
  if (counts.empty()) return false;
  const std::vector<int64_t> axes = SlicedAxes(view, ElementCount(view.InputShape(1)));
  return std::any_of(axes.begin(), axes.end(), [&](int64_t axis) { return Nth(counts, axis) != nullptr; });
}

ExprPtr CountedSlice(const OnnxNodeView& view) {
  const int64_t bounds = ElementCount(view.InputShape(1));
  const std::vector<int64_t> axes = SlicedAxes(view, bounds);
  const auto given = view.InputInts(4, "steps");
  const std::vector<int64_t> steps = given ? *given : std::vector<int64_t>(axes.size(), 1);
  if (ElementCount(view.InputShape(2)) != bounds || static_cast<int64_t>(axes.size()) != bounds ||
      steps.size() != axes.size()) {
    RefuseNode("starts, ends, axes and steps differ in length");
  }
  ExprPtr result = view.Input(0);
  for (size_t i = 0; i < axes.size(); ++i) {
    if (steps[i] == 0) RefuseNode("a step of 0");
    if (Nth(view.builder().ShapeOf(result), axes[i]) == 0) continue;
    const auto at = static_cast<int64_t>(i);
    result = AxisSlice(view, result, axes[i], std::clamp(steps[i], -kMaxSliceStep, kMaxSliceStep))
                 .Of(SliceBoundOf(view, 1, at), SliceBoundOf(view, 2, at));
  }
  return result;
}

std::vector<ExprPtr> CountedSplit(const OnnxNodeView& view, int64_t axis, int64_t parts) {
  TypedBuilder& builder = view.builder();
  const ExprPtr extent = ExtentOf(builder, view.Input(0), axis);
  std::vector<ExprPtr> sizes;
  if (view.HasInput(1)) {
    for (const ComputedDim& dim : ComputedDims(view, 1, "split")) {
      sizes.push_back(dim.is_known() ? CountOf(dim.number) : dim.count);
    }
  }
  for (const int64_t size : view.Ints("split", {})) sizes.push_back(CountOf(size));
  const bool given = !sizes.empty();
  const ExprPtr each =
      view.Call("divide", {WithScalar(view, "add", extent, static_cast<double>(parts - 1)), CountOf(parts)});
  if (sizes.empty()) sizes.assign(static_cast<size_t>(parts), each);
  if (static_cast<int64_t>(sizes.size()) != parts) RefuseNode(fmt::format("{} sizes of {} parts", sizes.size(), parts));
  std::vector<ExprPtr> results;
  ExprPtr begin = CountOf(0);
  for (const ExprPtr& size : sizes) {
    const ExprPtr end = view.Call("add", {begin, size});
    results.push_back(AxisSlice(view, view.Input(0), axis, 1).Of({begin, std::nullopt}, {end, std::nullopt}));
    begin = end;
  }
  if (given) builder.RequireEqual(begin, extent);
  return results;
}

}  // namespace hone
