// Softmax and LogSoftmax.
#include <algorithm>

#include "compiler/frontend/onnx/expressions.h"
#include "compiler/ops/onnx_families.h"

namespace hone {
namespace {

using relay::ExprPtr;

ExprPtr AlongAxis(const OnnxNodeView& view, const ExprPtr& data, int64_t axis) {
  const std::string_view op = view.node().op_type == "Softmax" ? "nn.softmax" : "nn.log_softmax";
  // Uses Relay's default of -1 for the last axis, which shortens the text.
  const int64_t rank = static_cast<int64_t>(view.builder().ShapeOf(data).size());
  return view.Call(op, {data}, {{"axis", axis == rank - 1 ? int64_t{-1} : axis}});
}

// Before opset 13 the dimensions from `axis` on are joined into one axis. Since then there is one axis, by default the
// last.
std::vector<ExprPtr> Softmax(const OnnxNodeView& view) {
  const ExprPtr& data = view.Input(0);
  const Shape shape = view.InputShape(0);
  const int64_t rank = view.InputRank(0);
  const int64_t axis = OnnxNodeView::Axis(view.Int("axis", view.opset() < 13 ? 1 : -1), rank);
  const bool one_axis = std::all_of(shape.begin() + axis + 1, shape.end(), [](int64_t dim) { return dim == 1; });
  if (view.opset() >= 13 || one_axis) return {AlongAxis(view, data, axis)};
  const int64_t outer = ElementCount(Shape(shape.begin(), shape.begin() + axis));
  const int64_t inner = ElementCount(Shape(shape.begin() + axis, shape.end()));
  return {ReshapeLike(view, AlongAxis(view, view.Reshape(data, {outer, inner}), 1), data)};
}

}  // namespace

OnnxOperatorTable SoftmaxOperators() {
  return {
      {"Softmax", 1, 1, Softmax, {"axis"}, {.becomes = "nn.softmax reshape", .takes_counts = true}},
      {"LogSoftmax", 1, 1, Softmax, {"axis"}, {.becomes = "nn.log_softmax", .takes_counts = true}},
  };
}

}  // namespace hone
