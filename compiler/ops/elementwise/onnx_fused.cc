// ONNX Runtime's activations with what its optimizer merges into them: biases, scales, gates.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/frontend/onnx/composed_node.h"
#include "compiler/frontend/onnx/expressions.h"
#include "compiler/ops/onnx_families.h"

namespace hone {
namespace {

using relay::ExprPtr;

ExprPtr PlusInput(const OnnxNodeView& view, const ExprPtr& expr, int input) {
  return view.HasInput(input) ? view.Call("add", {expr, view.Input(input)}) : expr;
}

std::vector<ExprPtr> ErfGelu(const OnnxNodeView& view) { return {view.Call("nn.gelu", {view.Input(0)})}; }

std::vector<ExprPtr> BiasGelu(const OnnxNodeView& view) {
  return {view.Call("nn.gelu", {PlusInput(view, view.Input(0), 1)})};
}

ExprPtr TanhGelu(const OnnxNodeView& view, const ExprPtr& x) {
  OnnxAttribute tanh;
  tanh.kind = OnnxAttribute::Kind::kString;
  tanh.s = "tanh";
  return Composed(view, "Gelu", {x}, {{"approximate", tanh}});
}

std::vector<ExprPtr> FastGelu(const OnnxNodeView& view) { return {TanhGelu(view, PlusInput(view, view.Input(0), 1))}; }

// Inputs: X, W, bias.
std::vector<ExprPtr> GemmFastGelu(const OnnxNodeView& view) {
  return {TanhGelu(view, PlusInput(view, Composed(view, "MatMul", {view.Input(0), view.Input(1)}), 2))};
}

std::vector<ExprPtr> QuickGelu(const OnnxNodeView& view) {
  return {Composed(view, "Swish", {view.Input(0)}, {{"alpha", NodeFloat(view.Float("alpha", 1.702))}})};
}

// The data's first half times the gelu of its second half, after the bias.
std::vector<ExprPtr> BiasSplitGelu(const OnnxNodeView& view) {
  const Shape& shape = view.InputShape(0);
  if (shape.empty() || shape.back() % 2 != 0) RefuseNode(fmt::format("{} has no two halves", ShapeText(shape)));
  const ExprPtr sum = PlusInput(view, view.Input(0), 1);
  const int64_t axis = view.InputRank(0) - 1, size = shape.back() / 2;
  const ExprPtr gate = view.Call("nn.gelu", {view.Slice(sum, axis, size, 2 * size)});
  return {view.Call("multiply", {view.Slice(sum, axis, 0, size), gate})};
}

// Inputs: X, bias, skip.
std::vector<ExprPtr> BiasAdd(const OnnxNodeView& view) {
  return {PlusInput(view, PlusInput(view, view.Input(0), 1), 2)};
}

// The softmax over all axes from `axis` on, of data + bias.
std::vector<ExprPtr> BiasSoftmax(const OnnxNodeView& view) {
  const int64_t rank = view.InputRank(0), axis = OnnxNodeView::Axis(view.Int("axis", 1), rank);
  const ExprPtr sum = PlusInput(view, view.Input(0), 1);
  const Shape shape = view.builder().ShapeOf(sum);
  const Shape rows{ElementCount(Shape(shape.begin(), shape.begin() + axis)),
                   ElementCount(Shape(shape.begin() + axis, shape.end()))};
  return {view.Reshape(view.Call("nn.softmax", {view.Reshape(sum, rows)}), shape)};
}

// Only inference is supported: nothing is dropped. Inputs: data, bias, residual, ratio, training_mode.
std::vector<ExprPtr> BiasDropout(const OnnxNodeView& view) {
  const ExprPtr kept =
      Composed(view, "Dropout",
               {view.Input(0), view.HasInput(3) ? view.Input(3) : nullptr, view.HasInput(4) ? view.Input(4) : nullptr});
  return {PlusInput(view, PlusInput(view, kept, 1), 2)};
}

}  // namespace

OnnxOperatorTable FusedActivationOperators() {
  return {
      {"Gelu", 1, 1, ErfGelu, {}, {.takes_counts = true}, kMicrosoft},
      {"BiasGelu", 2, 2, BiasGelu, {}, {.takes_counts = true}, kMicrosoft},
      {"FastGelu", 1, 2, FastGelu, {}, {.takes_counts = true}, kMicrosoft},
      {"GemmFastGelu", 2, 3, GemmFastGelu, {}, {.takes_counts = true}, kMicrosoft},
      {"QuickGelu", 1, 1, QuickGelu, {"alpha"}, {.takes_counts = true}, kMicrosoft},
      {"BiasSplitGelu", 2, 2, BiasSplitGelu, {}, {.takes_counts = true}, kMicrosoft},
      {"BiasAdd", 3, 3, BiasAdd, {}, {.takes_counts = true}, kMicrosoft},
      {"BiasSoftmax", 2, 2, BiasSoftmax, {"axis", "is_inner_broadcast"}, {.takes_counts = true}, kMicrosoft},
      {"BiasDropout", 2, 5, BiasDropout, {"seed"}, {.takes_counts = true}, kMicrosoft},
  };
}

}  // namespace hone
