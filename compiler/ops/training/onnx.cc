// Losses over classes: NegativeLogLikelihoodLoss, SoftmaxCrossEntropyLoss.
#include <fmt/format.h>

#include "compiler/frontend/onnx/expressions.h"
#include "compiler/ops/onnx_families.h"

namespace hone {
namespace {

using relay::ExprPtr;

void CheckShapes(const OnnxNodeView& view) {
  const Shape& scores = view.InputShape(0);
  Shape wanted = scores;
  if (scores.size() < 2) RefuseNode(fmt::format("its scores are {}, they must be N x C x ...", ShapeText(scores)));
  wanted.erase(wanted.begin() + 1);
  if (view.InputShape(1) != wanted) {
    RefuseNode(fmt::format("its classes are {}, they must be {} for scores of {}", ShapeText(view.InputShape(1)),
                           ShapeText(wanted), ShapeText(scores)));
  }
  if (IsFloat(view.builder().DTypeOf(view.Input(1)))) RefuseNode("its classes must be integers");
  if (view.HasInput(2) && view.InputShape(2) != Shape{scores[1]}) {
    RefuseNode(fmt::format("{} weights for {} classes", ShapeText(view.InputShape(2)), scores[1]));
  }
}

// A mask of the positions that do not count; null if all do.
ExprPtr IgnoredPlaces(const OnnxNodeView& view) {
  if (!view.HasAttr("ignore_index")) return nullptr;
  return WithScalar(view, "equal", view.Input(1), static_cast<double>(view.Int("ignore_index", 0)));
}

ExprPtr ZeroAt(const OnnxNodeView& view, const ExprPtr& places, const ExprPtr& value) {
  if (places == nullptr) return value;
  return view.Call("where", {places, ScalarLike(view, value, 0), value});
}

// The weight of each position; null if all weights are 1.
ExprPtr PlaceWeights(const OnnxNodeView& view, const ExprPtr& ignored, const ExprPtr& classes) {
  if (view.HasInput(2)) {
    return ZeroAt(view, ignored, view.Call("take", {view.Input(2), classes}, {{"axis", int64_t{0}}}));
  }
  if (ignored == nullptr) return nullptr;
  return view.Call("where", {ignored, ScalarLike(view, view.Input(0), 0), ScalarLike(view, view.Input(0), 1)});
}

ExprPtr Total(const OnnxNodeView& view, std::string_view op, const ExprPtr& data) {
  return view.Call(op, {data}, {{"axis", std::vector<int64_t>{}}, {"keepdims", false}});
}

// Minus the logarithm at each position's class. A mean is divided by the sum of the weights.
ExprPtr LossOf(const OnnxNodeView& view, const ExprPtr& logarithms) {
  CheckShapes(view);
  const ExprPtr ignored = IgnoredPlaces(view), classes = ZeroAt(view, ignored, view.Input(1));
  const ExprPtr column = view.Call("expand_dims", {classes}, {{"axis", int64_t{1}}, {"num_newaxis", int64_t{1}}});
  const ExprPtr found =
      view.Reshape(view.Call("gather", {logarithms, column}, {{"axis", int64_t{1}}}), view.InputShape(1));
  ExprPtr loss = ZeroAt(view, ignored, view.Call("negative", {found}));
  const ExprPtr weights = PlaceWeights(view, ignored, classes);
  if (weights != nullptr) loss = view.Call("multiply", {loss, weights});
  const std::string reduction = view.String("reduction", "mean");
  if (reduction == "none") return loss;
  if (reduction != "sum" && reduction != "mean") {
    RefuseNode(fmt::format("reduction=\"{}\" is not known; none, sum and mean are", reduction));
  }
  if (reduction == "mean" && weights == nullptr) return Total(view, "mean", loss);
  const ExprPtr sum = Total(view, "sum", loss);
  return reduction == "sum" ? sum : view.Call("divide", {sum, Total(view, "sum", weights)});
}

std::vector<ExprPtr> NegativeLogLikelihoodLoss(const OnnxNodeView& view) { return {LossOf(view, view.Input(0))}; }

std::vector<ExprPtr> SoftmaxCrossEntropyLoss(const OnnxNodeView& view) {
  const int64_t axis = OnnxNodeView::Axis(1, view.InputRank(0));
  const ExprPtr logarithms =
      view.Call("nn.log_softmax", {view.Input(0)}, {{"axis", axis == view.InputRank(0) - 1 ? int64_t{-1} : axis}});
  return {LossOf(view, logarithms), logarithms};
}

}  // namespace

OnnxOperatorTable LossOperators() {
  const std::vector<std::string_view> attributes{"ignore_index", "reduction"};
  return {{"NegativeLogLikelihoodLoss",
           2,
           3,
           NegativeLogLikelihoodLoss,
           attributes,
           {.becomes = "divide equal expand_dims gather mean multiply negative reshape sum take where"}},
          {"SoftmaxCrossEntropyLoss",
           2,
           3,
           SoftmaxCrossEntropyLoss,
           attributes,
           {.becomes = "expand_dims gather negative nn.log_softmax reshape sum"}}};
}

}  // namespace hone
