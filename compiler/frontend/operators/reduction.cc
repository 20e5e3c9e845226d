// ReduceMean and its kin.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/frontend/onnx_operators.h"

namespace hone {
namespace {

using relay::ExprPtr;

struct Reduction {
  std::string_view onnx;
  std::string_view relay;
};
constexpr Reduction kReductions[] = {{"ReduceMean", "mean"}, {"ReduceSum", "sum"}, {"ReduceMax", "max"}};

std::vector<ExprPtr> Reduce(const OnnxNodeView& view) {
  const auto row = std::find_if(std::begin(kReductions), std::end(kReductions),
                                [&](const Reduction& each) { return each.onnx == view.node().op_type; });
  // The axes moved from attribute to input in opset 13 (sum) and 18 (the others).
  const auto given = view.InputInts(1, "axes");
  const std::vector<int64_t> axes = given ? *given : view.Ints("axes", {});
  if (axes.empty() && view.Int("noop_with_empty_axes", 0) != 0) return {view.Input(0)};
  return {
      view.Call(row->relay, {view.Input(0)},
                {{"axis", OnnxNodeView::Axes(axes, view.InputRank(0))}, {"keepdims", view.Int("keepdims", 1) != 0}})};
}

}  // namespace

OnnxOperatorTable ReductionOperators() {
  OnnxOperatorTable table;
  for (const Reduction& row : kReductions) {
    table.push_back({row.onnx, 1, 2, Reduce, {"axes", "keepdims", "noop_with_empty_axes"}});
  }
  return table;
}

}  // namespace hone
