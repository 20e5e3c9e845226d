// Operators on positions along an axis: ArgMax, ArgMin, Hardmax, TopK, CumSum, CumProd.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/frontend/onnx/computed_dims.h"
#include "compiler/frontend/onnx/expressions.h"
#include "compiler/ops/onnx_families.h"
#include "core/nth.h"

namespace hone {
namespace {

using relay::ExprPtr;

std::vector<ExprPtr> ArgReduce(const OnnxNodeView& view) {
  const std::string_view op = view.node().op_type == "ArgMax" ? "argmax" : "argmin";
  return {view.Call(op, {view.Input(0)},
                    {{"axis", OnnxNodeView::Axis(view.Int("axis", 0), view.InputRank(0))},
                     {"keepdims", view.Int("keepdims", 1) != 0},
                     {"select_last_index", view.Int("select_last_index", 0) != 0}})};
}

// 1 at the first largest element along the axis, 0 elsewhere.
ExprPtr HardmaxAlong(const OnnxNodeView& view, const ExprPtr& data, int64_t axis) {
  const ExprPtr winner = view.Call("argmax", {data}, {{"axis", axis}, {"keepdims", true}});
  const auto rank = static_cast<int64_t>(view.builder().ShapeOf(data).size());
  const ExprPtr here = view.Call("equal", {winner, PositionsAlong(view.builder(), data, axis, axis, rank)});
  return view.Call("where", {here, ScalarLike(view, data, 1), ScalarLike(view, data, 0)});
}

// Before opset 13 the dims from `axis` on are one axis together.
std::vector<ExprPtr> Hardmax(const OnnxNodeView& view) {
  const Shape shape = view.InputShape(0);
  const int64_t axis = OnnxNodeView::Axis(view.Int("axis", view.opset() < 13 ? 1 : -1), view.InputRank(0));
  if (view.opset() >= 13) return {HardmaxAlong(view, view.Input(0), axis)};
  const int64_t outer = ElementCount(Shape(shape.begin(), shape.begin() + axis));
  const ExprPtr rows = view.Reshape(view.Input(0), {outer, ElementCount(shape) / std::max<int64_t>(outer, 1)});
  return {ReshapeLike(view, HardmaxAlong(view, rows, 1), view.Input(0))};
}

std::vector<ExprPtr> Cumulative(const OnnxNodeView& view) {
  const auto given = view.InputInts(1, "axis");
  if (!given || given->size() != 1) RefuseNode("its axis must be one number");
  return {view.Call(view.node().op_type == "CumSum" ? "cumsum" : "cumprod", {view.Input(0)},
                    {{"axis", OnnxNodeView::Axis((*given)[0], view.InputRank(0))},
                     {"exclusive", view.Int("exclusive", 0) != 0},
                     {"reverse", view.Int("reverse", 0) != 0}})};
}

// Computes as many as k can be at most; the first k of them are valid.
std::vector<ExprPtr> CountedTopK(const OnnxNodeView& view, int64_t axis, const ExprPtr& k) {
  TypedBuilder& builder = view.builder();
  const int64_t extent = Nth(view.InputShape(0), axis);
  int64_t most = std::min(extent, builder.BoundOf(k).value_or(extent));
  if (builder.max_dim() > 0) most = std::min(most, builder.max_dim());
  if (most < 1) RefuseNode(fmt::format("k is at most {}, the axis has {}", most, extent));
  builder.RequireCount(k, most);
  RequireElements(builder, view.Input(0), axis, k);
  const ExprPtr best =
      view.Call("topk", {view.Input(0)}, {{"k", most}, {"axis", axis}, {"is_ascend", view.Int("largest", 1) == 0}});
  std::vector<ExprPtr> results;
  for (int item = 0; item < 2; ++item) {
    results.push_back(builder.Item(best, item));
    Counts counts = builder.CountsOf(results.back());
    counts.resize(view.InputShape(0).size());
    Nth(counts, axis) = k;
    builder.SetCounts(results.back(), std::move(counts));
  }
  return results;
}

std::vector<ExprPtr> NoneOf(const OnnxNodeView& view, int64_t axis) {
  Shape shape = view.InputShape(0);
  Nth(shape, axis) = 0;
  return {relay::MakeConstant(Tensor(view.builder().DTypeOf(view.Input(0)), shape)),
          relay::MakeConstant(Tensor(DType::kInt64, shape))};
}

// The elements come in order whatever `sorted` says.
std::vector<ExprPtr> TopK(const OnnxNodeView& view) {
  const int64_t axis = OnnxNodeView::Axis(view.Int("axis", -1), view.InputRank(0));
  const int64_t extent = Nth(view.InputShape(0), axis);
  const std::vector<ComputedDim> given = ComputedDims(view, 1, "k");
  if (given.size() != 1) RefuseNode("its k must be one number");
  if (!given[0].is_known()) return CountedTopK(view, axis, given[0].count);
  const int64_t k = given[0].number;
  if (k < 0 || k > extent) RefuseNode(fmt::format("k is {}, the axis has {}; it may be 0 to that", k, extent));
  if (k == 0) return NoneOf(view, axis);
  RequireElements(view.builder(), view.Input(0), axis, CountOf(k));
  const ExprPtr best =
      view.Call("topk", {view.Input(0)}, {{"k", k}, {"axis", axis}, {"is_ascend", view.Int("largest", 1) == 0}});
  return {view.builder().Item(best, 0), view.builder().Item(best, 1)};
}

}  // namespace

OnnxOperatorTable SearchOperators() {
  const std::vector<std::string_view> arg{"axis", "keepdims", "select_last_index"};
  return {{"ArgMax", 1, 1, ArgReduce, arg, {.becomes = "argmax", .takes_counts = true}},
          {"ArgMin", 1, 1, ArgReduce, arg, {.becomes = "argmin", .takes_counts = true}},
          {"Hardmax", 1, 1, Hardmax, {"axis"}, {.becomes = "argmax equal reshape where", .takes_counts = true}},
          {"TopK", 2, 2, TopK, {"axis", "largest", "sorted"}, {.becomes = "topk", .takes_counts = true}},
          {"CumSum", 2, 2, Cumulative, {"exclusive", "reverse"}, {.becomes = "cumsum", .takes_counts = true}},
          {"CumProd", 2, 2, Cumulative, {"exclusive", "reverse"}, {.becomes = "cumprod", .takes_counts = true}}};
}

}  // namespace hone
