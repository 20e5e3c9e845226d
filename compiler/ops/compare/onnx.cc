// Comparisons, logic on truth values, and Where.
#include <limits>

#include "compiler/frontend/onnx/expressions.h"
#include "compiler/ops/onnx_families.h"

namespace hone {
namespace {

using relay::ExprPtr;

struct RenamedWithInputs {
  std::string_view onnx;
  const char* relay;
  int inputs;
};
constexpr RenamedWithInputs kRenamed[] = {{"Equal", "equal", 2},
                                          {"Less", "less", 2},
                                          {"LessOrEqual", "less_equal", 2},
                                          {"Greater", "greater", 2},
                                          {"GreaterOrEqual", "greater_equal", 2},
                                          {"And", "logical_and", 2},
                                          {"Or", "logical_or", 2},
                                          {"Xor", "logical_xor", 2},
                                          {"Not", "logical_not", 1},
                                          {"Where", "where", 3}};

std::vector<ExprPtr> ConvertRenamed(const OnnxNodeView& view) {
  for (const RenamedWithInputs& row : kRenamed) {
    if (row.onnx != view.node().op_type) continue;
    std::vector<ExprPtr> args;
    for (int i = 0; i < row.inputs; ++i) args.push_back(view.Input(i));
    return {view.Call(row.relay, args)};
  }
  RefuseNode("the operator is not supported");
}

// Only NaN differs from itself.
std::vector<ExprPtr> IsNaN(const OnnxNodeView& view) {
  return {view.Call("not_equal", {view.Input(0), view.Input(0)})};
}

std::vector<ExprPtr> IsInf(const OnnxNodeView& view) {
  const double infinity = std::numeric_limits<double>::infinity();
  const bool above = view.Int("detect_positive", 1) != 0, below = view.Int("detect_negative", 1) != 0;
  if (!above && !below) return {view.Call("less", {view.Input(0), view.Input(0)})};
  if (!below) return {WithScalar(view, "equal", view.Input(0), infinity)};
  if (!above) return {WithScalar(view, "equal", view.Input(0), -infinity)};
  return {WithScalar(view, "equal", view.Call("abs", {view.Input(0)}), infinity)};
}

}  // namespace

OnnxOperatorTable ComparisonOperators() {
  OnnxOperatorTable table = {{"IsNaN", 1, 1, IsNaN, {}, {.becomes = "not_equal", .takes_counts = true}},
                             {"IsInf",
                              1,
                              1,
                              IsInf,
                              {"detect_negative", "detect_positive"},
                              {.becomes = "abs equal less", .takes_counts = true}}};
  for (const RenamedWithInputs& row : kRenamed) {
    table.push_back(
        {row.onnx, row.inputs, row.inputs, ConvertRenamed, {}, {.becomes = row.relay, .takes_counts = true}});
  }
  return table;
}

}  // namespace hone
