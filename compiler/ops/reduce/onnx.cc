// ReduceMean and the other reductions.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "compiler/frontend/onnx/expressions.h"
#include "compiler/ops/onnx_families.h"
#include "core/nth.h"

namespace hone {
namespace {

using relay::ExprPtr;

struct Reduction {
  std::string_view onnx;
  std::string_view relay;
  const char* becomes;
};
constexpr Reduction kReductions[] = {{"ReduceMean", "mean", "cast divide less mean multiply sum where"},
                                     {"ReduceSum", "sum", "less sum where"},
                                     {"ReduceProd", "prod", "prod"},
                                     {"ReduceMax", "max", "less max where"},
                                     {"ReduceMin", "min", "less min where"}};

// The axes that a node names. None means all axes, or no reduction if `nothing` is set.
struct ReductionAxes {
  std::vector<int64_t> axes;
  bool nothing = false;
  bool keep = true;
};

ReductionAxes ReductionAxesOf(const OnnxNodeView& view) {
  // The axes moved from attribute to input in opset 13 (sum) and 18 (the others).
  const auto given = view.InputInts(1, "axes");
  const std::vector<int64_t> axes = given ? *given : view.Ints("axes", {});
  return {OnnxNodeView::Axes(axes, view.InputRank(0)), axes.empty() && view.Int("noop_with_empty_axes", 0) != 0,
          view.Int("keepdims", 1) != 0};
}

ExprPtr Over(const OnnxNodeView& view, std::string_view op, const ExprPtr& data, const ReductionAxes& axes) {
  if (axes.nothing) return data;
  return view.Call(op, {data}, {{"axis", axes.axes}, {"keepdims", axes.keep}});
}

std::vector<ExprPtr> Reduce(const OnnxNodeView& view) {
  const auto row = std::find_if(std::begin(kReductions), std::end(kReductions),
                                [&](const Reduction& each) { return each.onnx == view.node().op_type; });
  return {Over(view, row->relay, view.Input(0), ReductionAxesOf(view))};
}

ExprPtr Squared(const OnnxNodeView& view) { return view.Call("multiply", {view.Input(0), view.Input(0)}); }

std::vector<ExprPtr> ReduceL1(const OnnxNodeView& view) {
  return {Over(view, "sum", view.Call("abs", {view.Input(0)}), ReductionAxesOf(view))};
}

std::vector<ExprPtr> ReduceSumSquare(const OnnxNodeView& view) {
  return {Over(view, "sum", Squared(view), ReductionAxesOf(view))};
}

// The root of integers is truncated to an integer.
std::vector<ExprPtr> ReduceL2(const OnnxNodeView& view) {
  const ExprPtr squares = ReduceSumSquare(view).front();
  return {AsDType(view, view.Call("sqrt", {AsDType(view, squares, DType::kFloat32)}),
                  view.builder().DTypeOf(view.Input(0)))};
}

std::vector<ExprPtr> ReduceLogSum(const OnnxNodeView& view) {
  return {view.Call("log", {Over(view, "sum", view.Input(0), ReductionAxesOf(view))})};
}

// m + log(sum(exp(x - m))), where m is the maximum. An infinite m is replaced, because infinity minus itself is NaN.
std::vector<ExprPtr> ReduceLogSumExp(const OnnxNodeView& view) {
  const ReductionAxes axes = ReductionAxesOf(view);
  if (axes.nothing) return {view.Input(0)};
  const ReductionAxes kept{axes.axes, false, true};
  const double most = std::numeric_limits<float>::max();
  const ExprPtr largest =
      view.Call("clip", {Over(view, "max", view.Input(0), kept)}, {{"a_min", -most}, {"a_max", most}});
  const ExprPtr terms = view.Call("exp", {view.Call("subtract", {view.Input(0), largest})});
  const ExprPtr sum = view.Call("add", {view.Call("log", {Over(view, "sum", terms, kept)}), largest});
  if (axes.keep) return {sum};
  Shape shape;
  for (int64_t d = 0; d < view.InputRank(0); ++d) {
    const bool reduced = axes.axes.empty() || std::find(axes.axes.begin(), axes.axes.end(), d) != axes.axes.end();
    if (!reduced) shape.push_back(Nth(view.InputShape(0), d));
  }
  return {view.Reshape(sum, shape)};
}

struct ReductionFormula {
  std::string_view onnx;
  OnnxConvert convert;
  const char* becomes;
};
constexpr ReductionFormula kFormulas[] = {
    {"ReduceL1", ReduceL1, "abs sum"},
    {"ReduceL2", ReduceL2, "cast multiply sqrt sum"},
    {"ReduceSumSquare", ReduceSumSquare, "multiply sum"},
    {"ReduceLogSum", ReduceLogSum, "log sum"},
    {"ReduceLogSumExp", ReduceLogSumExp, "add clip exp log max reshape subtract sum"}};

}  // namespace

OnnxOperatorTable ReductionOperators() {
  OnnxOperatorTable table;
  const std::vector<std::string_view> attributes{"axes", "keepdims", "noop_with_empty_axes"};
  const auto add = [&](std::string_view onnx, OnnxConvert convert, const char* becomes) {
    table.push_back({onnx, 1, 2, convert, attributes, {.becomes = becomes, .takes_counts = true}});
  };
  for (const Reduction& row : kReductions) add(row.onnx, Reduce, row.becomes);
  for (const ReductionFormula& row : kFormulas) add(row.onnx, row.convert, row.becomes);
  return table;
}

}  // namespace hone
