// Slice, Split, Gather, ReverseSequence.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "compiler/frontend/onnx/composed_node.h"
#include "compiler/frontend/onnx/expressions.h"
#include "compiler/frontend/onnx/onnx_node_view.h"
#include "compiler/ops/gather/onnx_counted_slice.h"
#include "compiler/ops/onnx_families.h"
#include "core/nth.h"
#include "core/tensor.h"

namespace hone {
namespace {

using relay::ExprPtr;

struct SliceRange {
  int64_t axis = 0;
  int64_t begin = 0;
  int64_t end = 0;
  int64_t step = 1;
};

bool IsCountedAlong(const OnnxNodeView& view, int64_t axis) { return IsCounted(view.builder(), view.Input(0), axis); }

// Turns indices from the end, which are known only at run time, into indices from the start. One beyond the extent
// becomes the nearest, as kernels read it along an axis of a known extent.
ExprPtr WithExtent(const OnnxNodeView& view, const ExprPtr& indices, const ExprPtr& extent) {
  const ExprPtr below = WithScalar(view, "less", indices, 0);
  const ExprPtr from_start = view.Call("where", {below, view.Call("add", {indices, extent}), indices});
  return WithScalar(view, "maximum", view.Call("minimum", {from_start, WithScalar(view, "subtract", extent, 1)}), 0);
}

ExprPtr FromStart(const OnnxNodeView& view, const ExprPtr& indices, int64_t axis) {
  const DType dtype = view.builder().DTypeOf(indices);
  return WithExtent(view, indices, AsDType(view, ExtentOf(view.builder(), view.Input(0), axis), dtype));
}

ExprPtr StridedSlice(const OnnxNodeView& view, const ExprPtr& data, const std::vector<SliceRange>& ranges) {
  std::vector<int64_t> begin, end, strides, axes;
  for (const SliceRange& range : ranges) {
    begin.push_back(range.begin);
    end.push_back(range.end);
    strides.push_back(range.step);
    axes.push_back(range.axis);
  }
  return view.Call("strided_slice", {data}, {{"begin", begin}, {"end", end}, {"strides", strides}, {"axes", axes}});
}

// ONNX clamps positions outside; numbers near the ends of int64 mean "to the end".
SliceRange Clamped(SliceRange range, int64_t dim) {
  const bool forward = range.step > 0;
  const auto clamp = [&](int64_t at) {
    return std::clamp<int64_t>(at < 0 ? at + dim : at, forward ? 0 : -1, forward ? dim : dim - 1);
  };
  range.begin = clamp(std::max(range.begin, -dim - 1));
  range.end = clamp(std::max(range.end, -dim - 1));
  if (forward) range.end = std::max(range.begin, range.end);
  return range;
}

// A slice backwards becomes a gather of falling indices, because strided_slice only goes forward.
ExprPtr SliceBackwards(const OnnxNodeView& view, const ExprPtr& data, const SliceRange& range) {
  view.builder().Spend((range.begin - range.end) / -range.step * 8);
  std::vector<int64_t> indices;
  for (int64_t i = range.begin; i > range.end; i += range.step) indices.push_back(i);
  const Tensor tensor = Tensor::FromVector<int64_t>(DType::kInt64, {static_cast<int64_t>(indices.size())}, indices);
  return view.Call("take", {data, relay::MakeConstant(tensor)}, {{"axis", range.axis}});
}

// Attributes before opset 10, inputs since then.
std::vector<int64_t> SliceArgument(const OnnxNodeView& view, int input, std::string_view name,
                                   std::vector<int64_t> otherwise) {
  const auto given = view.InputInts(input, name);
  return given ? *given : view.Ints(name, std::move(otherwise));
}

std::vector<ExprPtr> Slice(const OnnxNodeView& view) {
  if (IsCountedSlice(view)) return {CountedSlice(view)};
  const std::vector<int64_t> starts = SliceArgument(view, 1, "starts", {});
  const std::vector<int64_t> ends = SliceArgument(view, 2, "ends", {});
  std::vector<int64_t> all(starts.size());
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i);
  const std::vector<int64_t> axes = OnnxNodeView::Axes(SliceArgument(view, 3, "axes", all), view.InputRank(0));
  const std::vector<int64_t> steps = SliceArgument(view, 4, "steps", std::vector<int64_t>(starts.size(), 1));
  if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size()) {
    RefuseNode("starts, ends, axes and steps differ in length");
  }
  ExprPtr result = view.Input(0);
  std::vector<SliceRange> forward;
  for (size_t i = 0; i < starts.size(); ++i) {
    if (steps[i] == 0) RefuseNode("a step of 0");
    if (IsCountedAlong(view, axes[i])) RefuseNode("before opset 10 it takes no axis whose extent is counted in a run");
    const int64_t dim = Nth(view.InputShape(0), axes[i]);
    const SliceRange range =
        Clamped({axes[i], starts[i], ends[i], std::clamp(steps[i], -kMaxSliceStep, kMaxSliceStep)}, dim);
    if (range.step < 0) {
      result = SliceBackwards(view, result, range);
    } else if (range.begin != 0 || range.end != dim || range.step != 1) {
      forward.push_back(range);
    }
  }
  return {forward.empty() ? result : StridedSlice(view, result, forward)};
}

// The sizes of the parts: given, or equal with a smaller last one.
std::vector<int64_t> SplitSizes(const OnnxNodeView& view, int64_t dim, int64_t parts) {
  const auto given = view.InputInts(1, "split");
  std::vector<int64_t> sizes = given ? *given : view.Ints("split", {});
  if (sizes.empty()) {
    const int64_t size = (dim + parts - 1) / parts;
    if (dim % parts != 0 && view.opset() < 18)
      RefuseNode(fmt::format("{} does not split into {} equal parts", dim, parts));
    for (int64_t i = 0; i < parts; ++i) sizes.push_back(std::clamp<int64_t>(dim - i * size, 0, size));
  }
  int64_t sum = 0;
  for (const int64_t size : sizes) {
    if (size < 0 || size > dim) RefuseNode(fmt::format("a part of {} from {}", size, dim));
    sum += size;
  }
  if (static_cast<int64_t>(sizes.size()) != parts || sum != dim) {
    RefuseNode(fmt::format("{} parts of {} in all; {} outputs share {}", sizes.size(), sum, parts, dim));
  }
  return sizes;
}

// Each part is a slice of its own. So no kernel needs several results, and unused parts cost nothing.
std::vector<ExprPtr> Split(const OnnxNodeView& view) {
  const int64_t axis = OnnxNodeView::Axis(view.Int("axis", 0), view.InputRank(0));
  const int64_t dim = Nth(view.InputShape(0), axis);
  const int64_t parts = static_cast<int64_t>(view.node().outputs.size());
  if (view.Int("num_outputs", parts) != parts) RefuseNode("num_outputs is not the number of outputs");
  if (IsCountedAlong(view, axis) || (view.HasInput(1) && view.InputValue(1) == nullptr)) {
    return CountedSplit(view, axis, parts);
  }
  std::vector<ExprPtr> results;
  int64_t begin = 0;
  for (const int64_t size : SplitSizes(view, dim, parts)) {
    results.push_back(StridedSlice(view, view.Input(0), {{axis, begin, begin + size, 1}}));
    begin += size;
  }
  return results;
}

// Turns indices from the end into indices from the start; refuses those outside, in a run or at once.
ExprPtr KnownIndices(const OnnxNodeView& view, const Tensor& indices, int64_t axis) {
  const int64_t dim = Nth(view.InputShape(0), axis);
  int64_t least = 0;
  bool any_from_end = false;
  if (indices.dtype() != DType::kInt64 && indices.dtype() != DType::kInt32) RefuseNode("its indices must be integers");
  Tensor positive = indices.Clone();
  for (int64_t i = 0; i < positive.elements(); ++i) {
    const int64_t at = static_cast<int64_t>(positive.At(i));
    if (at < -dim || at >= dim) RefuseNode(fmt::format("index {} is outside {}", at, dim));
    if (at < 0) positive.Set(i, static_cast<double>(at + dim));
    least = std::max(least, at < 0 ? -at : at + 1);
    any_from_end = any_from_end || at < 0;
  }
  RequireElements(view.builder(), view.Input(0), axis, CountOf(least));
  if (IsCountedAlong(view, axis) && any_from_end) return FromStart(view, view.Input(1), axis);
  return relay::MakeConstant(positive, relay::AsConstant(view.Input(1)) ? relay::AsConstant(view.Input(1))->name : "");
}

std::vector<ExprPtr> Gather(const OnnxNodeView& view) {
  const int64_t axis = OnnxNodeView::Axis(view.Int("axis", 0), view.InputRank(0));
  const Tensor* known = view.InputValue(1);
  ExprPtr indices = view.Input(1);
  if (known != nullptr) {
    indices = KnownIndices(view, *known, axis);
  } else if (IsCountedAlong(view, axis)) {
    indices = FromStart(view, indices, axis);
  }
  return {view.Call("take", {view.Input(0), indices}, {{"axis", axis}})};
}

std::vector<ExprPtr> GatherElements(const OnnxNodeView& view) {
  const int64_t axis = OnnxNodeView::Axis(view.Int("axis", 0), view.InputRank(0));
  const ExprPtr indices = IsCountedAlong(view, axis) ? FromStart(view, view.Input(1), axis) : view.Input(1);
  return {view.Call("gather", {view.Input(0), indices}, {{"axis", axis}})};
}

// FromStart for the parts of positions, which lie along the last axis of the indices.
ExprPtr PartsFromStart(const OnnxNodeView& view, const ExprPtr& indices, int64_t first_axis) {
  const int64_t parts = view.builder().ShapeOf(indices).back();
  ExprPtr extents;
  bool any = false;
  for (int64_t part = 0; part < parts; ++part) {
    any = any || IsCountedAlong(view, first_axis + part);
    Tensor here(DType::kInt64, {parts});
    here.Set(part, 1);
    const ExprPtr extent = ExtentOf(view.builder(), view.Input(0), first_axis + part);
    const ExprPtr placed = view.Call("multiply", {relay::MakeConstant(std::move(here)), extent});
    extents = extents == nullptr ? placed : view.Call("add", {extents, placed});
  }
  if (!any) return indices;
  return WithExtent(view, indices, AsDType(view, extents, view.builder().DTypeOf(indices)));
}

// ONNX has the parts of a position along the last axis, Relay along the first.
std::vector<ExprPtr> GatherNd(const OnnxNodeView& view) {
  const int64_t rank = view.InputRank(1);
  std::vector<int64_t> axes{rank - 1};
  for (int64_t d = 0; d + 1 < rank; ++d) axes.push_back(d);
  const int64_t batch_dims = view.Int("batch_dims", 0);
  if (rank < 1 || batch_dims < 0 || batch_dims + view.InputShape(1).back() > view.InputRank(0)) {
    RefuseNode(fmt::format("indices of {} with batch_dims {} into {}", ShapeText(view.InputShape(1)), batch_dims,
                           ShapeText(view.InputShape(0))));
  }
  ExprPtr indices = PartsFromStart(view, view.Input(1), batch_dims);
  if (rank > 1) indices = view.Call("transpose", {indices}, {{"axes", axes}});
  return {view.Call("gather_nd", {view.Input(0), indices}, {{"batch_dims", batch_dims}})};
}

// In a sequence of n elements, position t < n reads from n - 1 - t, and later positions from t. The first two axes
// become one axis of rows, which are taken whole.
std::vector<ExprPtr> ReverseSequence(const OnnxNodeView& view) {
  const Shape shape = view.InputShape(0);
  const int64_t batch = view.Int("batch_axis", 1), time = view.Int("time_axis", 0), rank = view.InputRank(0);
  if (rank < 2 || batch < 0 || batch > 1 || time != 1 - batch) {
    RefuseNode(
        fmt::format("batch_axis {} and time_axis {} of {}; they must be 0 and 1", batch, time, ShapeText(shape)));
  }
  if (view.InputShape(1) != Shape{Nth(shape, batch)}) {
    RefuseNode(fmt::format("{} lengths for {} sequences", ShapeText(view.InputShape(1)), Nth(shape, batch)));
  }
  Shape lengths(2, 1);
  Nth(lengths, batch) = Nth(shape, batch);
  const ExprPtr count = view.Reshape(AsDType(view, view.Input(1), DType::kInt64), lengths);
  const ExprPtr at = Positions(Nth(shape, time), time, 2), sequence = Positions(Nth(shape, batch), batch, 2);
  const ExprPtr mirrored = WithScalar(view, "subtract", view.Call("subtract", {count, at}), 1);
  const ExprPtr from = view.Call("where", {view.Call("less", {at, count}), mirrored, at});
  const auto stride = [&](int64_t axis) { return static_cast<double>(axis == 0 ? shape[1] : 1); };
  const ExprPtr place = view.Call(
      "add", {WithScalar(view, "multiply", from, stride(time)), WithScalar(view, "multiply", sequence, stride(batch))});
  Shape rows(shape.begin() + 1, shape.end());
  rows[0] = shape[0] * shape[1];
  const ExprPtr taken =
      view.Call("take", {view.Reshape(view.Input(0), rows), view.Reshape(place, {rows[0]})}, {{"axis", int64_t{0}}});
  return {view.Reshape(taken, shape)};
}

// Rows of a table. The padding index and the scale of gradients matter only to training.
std::vector<ExprPtr> TorchEmbedding(const OnnxNodeView& view) {
  return {Composed(view, "Gather", {view.Input(0), view.Input(1)})};
}

}  // namespace

OnnxOperatorTable IndexingOperators() {
  return {
      {"Slice",
       1,
       5,
       Slice,
       {"axes", "ends", "starts"},
       {.becomes = "add first_positions maximum minimum strided_slice take where", .takes_counts = true}},
      {"Split",
       1,
       2,
       Split,
       {"axis", "num_outputs", "split"},
       {.becomes = "add first_positions maximum minimum strided_slice take where", .takes_counts = true}},
      {"Gather",
       2,
       2,
       Gather,
       {"axis"},
       {.becomes = "add first_positions less maximum minimum subtract take where", .takes_counts = true}},
      {"GatherElements",
       2,
       2,
       GatherElements,
       {"axis"},
       {.becomes = "add first_positions gather less maximum minimum subtract where", .takes_counts = true}},
      {"GatherND",
       2,
       2,
       GatherNd,
       {"batch_dims"},
       {.becomes = "add first_positions gather_nd less maximum minimum multiply subtract transpose where",
        .takes_counts = true}},
      {"GatherND", 2, 2, GatherNd, {}, {}, kMicrosoft},
      {"TorchEmbedding", 2, 4, TorchEmbedding, {}, {.takes_counts = true}, kMicrosoft},
      {"ReverseSequence",
       2,
       2,
       ReverseSequence,
       {"batch_axis", "time_axis"},
       {.becomes = "add less multiply reshape subtract take where"}},
  };
}

}  // namespace hone
