// Operators that reshape, reorder or repeat the same elements.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/frontend/onnx/computed_dims.h"
#include "compiler/frontend/onnx/count_reshape.h"
#include "compiler/ops/onnx_families.h"
#include "core/nth.h"
#include "core/tensor.h"

namespace hone {
namespace {

using relay::ExprPtr;

// 0 keeps the input's dimension (unless allowzero), -1 takes the remaining elements.
Shape ResolveReshape(const Shape& data, std::vector<int64_t> wanted, bool allow_zero) {
  int64_t known = 1;
  int64_t* open = nullptr;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == 0 && !allow_zero) {
      if (i >= data.size()) RefuseNode(fmt::format("the shape keeps dimension {} of {}", i, ShapeText(data)));
      wanted[i] = data[i];
    }
    if (wanted[i] == -1) {
      if (open != nullptr) RefuseNode("the shape has -1 twice");
      open = &wanted[i];
    } else if (wanted[i] < 0) {
      RefuseNode(fmt::format("the shape holds {}", wanted[i]));
    } else if (__builtin_mul_overflow(known, wanted[i], &known)) {
      RefuseNode("the shape overflows");
    }
  }
  const int64_t elements = ElementCount(data);
  const bool fits = open != nullptr ? known != 0 && elements % known == 0 : elements == known;
  if (!fits) RefuseNode(fmt::format("{} elements do not fill the shape", elements));
  if (open != nullptr) *open = elements / known;
  return wanted;
}

// A computed number must be the remaining extent, or the extent that the data has at that position.
std::vector<int64_t> ReshapeNumbers(const OnnxNodeView& view, bool allow_zero) {
  if (view.InputValue(1) != nullptr) return *view.InputInts(1, "shape");
  std::vector<int64_t> numbers;
  bool remains = false;
  for (const ComputedDim& dim : ComputedDims(view, 1, "shape")) {
    const auto d = static_cast<int64_t>(numbers.size());
    const bool stays = !dim.is_known() && !allow_zero && d < view.InputRank(0) &&
                       ExtentOf(view.builder(), view.Input(0), d) == dim.count;
    if (!dim.is_known() && !stays && remains) {
      RefuseNode("its shape must be known when the model is imported, but for one number");
    }
    numbers.push_back(dim.is_known() ? dim.number : stays ? 0 : -1);
    remains = remains || numbers.back() == -1;
  }
  return numbers;
}

// The reshape of data whose extents are counted.
ExprPtr ReshapeOfCounted(const OnnxNodeView& view, bool allow_zero) {
  std::vector<ExprPtr> extents;
  for (const ComputedDim& dim : ComputedDims(view, 1, "shape")) {
    const auto d = static_cast<int64_t>(extents.size());
    const bool stays = dim.is_known() && dim.number == 0 && !allow_zero;
    if (stays && d >= view.InputRank(0)) RefuseNode(fmt::format("the shape keeps dimension {} of the data", d));
    if (dim.is_known() && dim.number < -1) RefuseNode(fmt::format("the shape holds {}", dim.number));
    if (dim.is_known() && dim.number == -1) {
      extents.push_back(nullptr);
    } else {
      extents.push_back(stays            ? ExtentOf(view.builder(), view.Input(0), d)
                        : dim.is_known() ? CountOf(dim.number)
                                         : dim.count);
    }
  }
  if (std::ranges::count(extents, nullptr) > 1) RefuseNode("the shape has -1 twice");
  return ReshapeToExtents(view.builder(), view.Input(0), std::move(extents));
}

std::vector<ExprPtr> Reshape(const OnnxNodeView& view) {
  const bool allow_zero = view.Int("allowzero", 0) != 0;
  if (!view.builder().CountsOf(view.Input(0)).empty()) return {ReshapeOfCounted(view, allow_zero)};
  const Shape shape = ResolveReshape(view.InputShape(0), ReshapeNumbers(view, allow_zero), allow_zero);
  return {view.Reshape(view.Input(0), shape)};
}

std::vector<ExprPtr> Flatten(const OnnxNodeView& view) {
  const Shape& shape = view.InputShape(0);
  const int64_t rank = view.InputRank(0);
  int64_t axis = view.Int("axis", 1);
  if (axis < -rank || axis > rank) RefuseNode(fmt::format("axis {} is outside a tensor of rank {}", axis, rank));
  if (axis < 0) axis += rank;
  if (axis == 1 && rank >= 2) return {view.Call("nn.batch_flatten", {view.Input(0)})};
  return {view.Reshape(view.Input(0), {ElementCount(Shape(shape.begin(), shape.begin() + axis)),
                                       ElementCount(Shape(shape.begin() + axis, shape.end()))})};
}

// Whether the input is a large matrix of weights. Its transpose stays a call: a product turns it back, and then nobody
// needs a second matrix.
bool IsTable(const OnnxNodeView& view) {
  constexpr int64_t kLeastTableBytes = int64_t{1} << 20;
  const Tensor* value = view.InputValue(0);
  return value != nullptr && value->shape().size() == 2 && IsFloat(value->dtype()) &&
         value->size_bytes() >= kLeastTableBytes;
}

std::vector<ExprPtr> Transpose(const OnnxNodeView& view) {
  const int64_t rank = view.InputRank(0);
  std::vector<int64_t> reversed;
  for (int64_t i = rank; i-- > 0;) reversed.push_back(i);
  const std::vector<int64_t> axes = OnnxNodeView::Axes(view.Ints("perm", reversed), rank);
  if (static_cast<int64_t>(axes.size()) != rank) RefuseNode(fmt::format("perm has {} of {} axes", axes.size(), rank));
  if (std::is_sorted(axes.begin(), axes.end())) return {view.Input(0)};
  if (IsTable(view)) return {view.builder().Unfolded("transpose", {view.Input(0)}, {{"axes", axes}})};
  return {view.Call("transpose", {view.Input(0)}, {{"axes", axes}})};
}

// The axes moved from attribute to input in opset 13.
std::vector<int64_t> SqueezeAxes(const OnnxNodeView& view) {
  const auto given = view.InputInts(1, "axes");
  return given ? *given : view.Ints("axes", {});
}

std::vector<ExprPtr> Squeeze(const OnnxNodeView& view) {
  const Shape& shape = view.InputShape(0);
  std::vector<int64_t> axes = OnnxNodeView::Axes(SqueezeAxes(view), view.InputRank(0));
  const bool all = axes.empty();
  for (size_t i = 0; all && i < shape.size(); ++i) {
    if (shape[i] == 1) axes.push_back(static_cast<int64_t>(i));
  }
  if (axes.empty()) return {view.Input(0)};
  for (const int64_t axis : axes) {
    const int64_t dim = Nth(shape, axis);
    if (dim != 1) RefuseNode(fmt::format("axis {} of {} is {}, not 1", axis, ShapeText(shape), dim));
  }
  std::sort(axes.begin(), axes.end());
  return {view.Call("squeeze", {view.Input(0)}, {{"axis", axes}})};
}

std::vector<ExprPtr> Unsqueeze(const OnnxNodeView& view) {
  std::vector<int64_t> axes = SqueezeAxes(view);
  axes = OnnxNodeView::Axes(axes, view.InputRank(0) + static_cast<int64_t>(axes.size()));
  if (axes.size() + view.InputShape(0).size() > 16) RefuseNode("the result's rank is over 16");
  // Inserts axes from the lowest on, so that each has its final position when it is inserted.
  std::sort(axes.begin(), axes.end());
  ExprPtr result = view.Input(0);
  for (const int64_t axis : axes) {
    result = view.Call("expand_dims", {result}, {{"axis", axis}, {"num_newaxis", int64_t{1}}});
  }
  return {result};
}

std::vector<ExprPtr> Concat(const OnnxNodeView& view) {
  if (!view.HasAttr("axis")) RefuseNode("axis is missing");
  for (int i = 0; i < view.num_inputs(); ++i) view.Input(i);
  if (view.num_inputs() == 1) return {view.Input(0)};
  const int64_t axis = OnnxNodeView::Axis(view.Int("axis", 0), view.InputRank(0));
  return {view.builder().CallOnTuple("concatenate", view.inputs(), {{"axis", axis}})};
}

// Along an axis of one element, a computed number is the number of repetitions. Along another it can only be the
// present extent or 1.
std::vector<ExprPtr> ExpandComputed(const OnnxNodeView& view) {
  const Shape data = view.InputShape(0);
  const std::vector<ComputedDim> dims = ComputedDims(view, 1, "shape");
  const size_t rank = std::max(dims.size(), data.size());
  Shape shape(rank, 1);
  Counts counts(rank);
  for (size_t i = 0; i < rank; ++i) {
    if (i + data.size() >= rank) shape[i] = data[i + data.size() - rank];
    if (i + dims.size() < rank) continue;
    const ComputedDim& dim = dims[i + dims.size() - rank];
    const bool counted = i + data.size() >= rank &&
                         IsCounted(view.builder(), view.Input(0), static_cast<int64_t>(i + data.size() - rank));
    if (dim.is_known() && dim.number != 1 && shape[i] != 1 && dim.number != shape[i] && !counted) {
      RefuseNode(fmt::format("axis {} of {} does not expand to {}", i, ShapeText(data), dim.number));
    }
    if (shape[i] != 1) {
      const int64_t axis = static_cast<int64_t>(i + data.size()) - static_cast<int64_t>(rank);
      const ExprPtr own = ExtentOf(view.builder(), view.Input(0), axis);
      if (relay::AsConstant(own) == nullptr && !(dim.is_known() && dim.number == 1)) {
        view.builder().RequireEqual(own, dim.is_known() ? CountOf(dim.number) : dim.count);
      }
      continue;
    }
    shape[i] = dim.is_known() ? dim.number : MostOf(view, dim.count, "shape");
    counts[i] = dim.count;
    if (shape[i] < 0) RefuseNode(fmt::format("the dimension {} is negative", shape[i]));
  }
  ExprPtr wide = view.Reshape(view.Input(0), [&] {
    Shape same = data;
    same.insert(same.begin(), rank - data.size(), 1);
    return same;
  }());
  const Counts own = view.builder().CountsOf(wide);
  for (size_t i = 0; i < own.size(); ++i) {
    if (own[i] != nullptr) counts[i] = own[i];
  }
  wide = view.builder().Uncounted("broadcast_to", {wide}, {{"shape", shape}});
  view.builder().SetCounts(wide, std::move(counts));
  return {wide};
}

std::vector<ExprPtr> Expand(const OnnxNodeView& view) {
  if (view.InputValue(1) == nullptr || !view.builder().CountsOf(view.Input(0)).empty()) return ExpandComputed(view);
  const Shape& data = view.InputShape(0);
  Shape shape = *view.InputInts(1, "shape");
  if (shape.size() < data.size()) shape.insert(shape.begin(), data.size() - shape.size(), 1);
  const size_t lead = shape.size() - data.size();
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] < 0) RefuseNode(fmt::format("the dimension {} is negative", shape[i]));
    const int64_t dim = i < lead ? 1 : data[i - lead];
    // Broadcasting goes both ways: 1 takes the data's dimension.
    if (shape[i] == 1) shape[i] = dim;
    if (dim != 1 && dim != shape[i])
      RefuseNode(fmt::format("{} does not expand to {}", ShapeText(data), ShapeText(shape)));
  }
  if (shape == data) return {view.Input(0)};
  return {view.Call("broadcast_to", {view.Input(0)}, {{"shape", shape}})};
}

}  // namespace

OnnxOperatorTable ShapeOperators() {
  return {
      {"Reshape",
       2,
       2,
       Reshape,
       {"allowzero"},
       {.becomes = "add divide first_positions maximum minimum multiply reshape subtract take", .takes_counts = true}},
      {"Flatten", 1, 1, Flatten, {"axis"}, {.becomes = "nn.batch_flatten", .takes_counts = true}},
      {"Transpose", 1, 1, Transpose, {"perm"}, {.becomes = "transpose", .takes_counts = true}},
      {"Squeeze", 1, 2, Squeeze, {"axes"}, {.becomes = "squeeze", .takes_counts = true}},
      {"Unsqueeze", 1, 2, Unsqueeze, {"axes"}, {.becomes = "expand_dims", .takes_counts = true}},
      {"Concat", 1, -1, Concat, {"axis"}, {.becomes = "add append_rows concatenate", .takes_counts = true}},
      {"Expand", 2, 2, Expand, {}, {.becomes = "broadcast_to", .takes_counts = true}},
      {"ExpandDims", 2, 2, Unsqueeze, {}, {.takes_counts = true}, kMicrosoft},
  };
}

}  // namespace hone
