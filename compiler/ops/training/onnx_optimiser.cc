// One training step of Adagrad, Adam and Momentum, for any number of tensors at once. Inputs are rate and step, then
// all tensors, all gradients, and all states of each kind, in the order of the results.
#include <fmt/format.h>

#include "compiler/frontend/onnx/expressions.h"
#include "compiler/ops/onnx_families.h"
#include "core/text/printable.h"

namespace hone {
namespace {

using relay::ExprPtr;

class OptimiserStep {
 public:
  // `kinds` is the number of inputs per tensor: itself, its gradient, its states.
  OptimiserStep(const OnnxNodeView& view, int kinds) : view_(view), tensors_((view.num_inputs() - 2) / kinds) {
    if (tensors_ < 1 || 2 + tensors_ * kinds != view.num_inputs()) {
      RefuseNode(fmt::format("{}; it takes 2 and {} for each tensor", Counted(view.num_inputs(), "input"), kinds));
    }
    for (int input : {0, 1}) {
      if (ElementCount(view.InputShape(input)) != 1) RefuseNode("its rate and step must be one number each");
    }
    for (int input = 2; input < view.num_inputs(); ++input) {
      const Shape& wanted = view.InputShape(2 + (input - 2) % tensors_);
      if (view.InputShape(input) == wanted) continue;
      RefuseNode(
          fmt::format("input {} is {}, its tensor is {}", input, ShapeText(view.InputShape(input)), ShapeText(wanted)));
    }
    rate_ = view.Reshape(AsDType(view, view.Input(0), DType::kFloat32), {});
    step_ = view.Reshape(AsDType(view, view.Input(1), DType::kFloat32), {});
  }

  int tensors() const { return tensors_; }
  const ExprPtr& rate() const { return rate_; }
  const ExprPtr& step() const { return step_; }
  const ExprPtr& Of(int kind, int tensor) const { return view_.Input(2 + kind * tensors_ + tensor); }
  // The gradient with the term that keeps the tensor small: norm_coefficient * x + g.
  ExprPtr Gradient(int tensor) const {
    const ExprPtr held = With("multiply", Of(0, tensor), view_.Float("norm_coefficient", 0));
    return Both("add", held, Of(1, tensor));
  }
  ExprPtr Both(std::string_view op, const ExprPtr& a, const ExprPtr& b) const { return view_.Call(op, {a, b}); }
  ExprPtr With(std::string_view op, const ExprPtr& a, double b) const { return WithScalar(view_, op, a, b); }
  // Computes keep * old + rest * now.
  ExprPtr Mixed(const ExprPtr& old, double keep, const ExprPtr& now, double rest) const {
    return Both("add", With("multiply", old, keep), With("multiply", now, rest));
  }
  // Computes sqrt(squares) + epsilon.
  ExprPtr Root(const ExprPtr& squares) const {
    return With("add", view_.Call("sqrt", {squares}), view_.Float("epsilon", 1e-6));
  }
  // `first` in the first step, `later` in all others.
  ExprPtr AtFirst(const ExprPtr& first, const ExprPtr& later) const {
    return view_.Call("where", {With("greater", step_, 0), later, first});
  }
  ExprPtr Number(double value) const { return ScalarLike(view_, rate_, value); }

 private:
  const OnnxNodeView& view_;
  int tensors_;
  ExprPtr rate_, step_;
};

std::vector<ExprPtr> Joined(std::vector<ExprPtr> tensors, const std::vector<ExprPtr>& states) {
  tensors.insert(tensors.end(), states.begin(), states.end());
  return tensors;
}

std::vector<ExprPtr> Adagrad(const OnnxNodeView& view) {
  const OptimiserStep step(view, 3);
  const ExprPtr slower = step.With("add", step.With("multiply", step.step(), view.Float("decay_factor", 0)), 1);
  const ExprPtr rate = step.Both("divide", step.rate(), slower);
  std::vector<ExprPtr> tensors, squares;
  for (int i = 0; i < step.tensors(); ++i) {
    const ExprPtr gradient = step.Gradient(i);
    squares.push_back(step.Both("add", step.Of(2, i), step.Both("multiply", gradient, gradient)));
    const ExprPtr move = step.Both("divide", step.Both("multiply", gradient, rate), step.Root(squares.back()));
    tensors.push_back(step.Both("subtract", step.Of(0, i), move));
  }
  return Joined(std::move(tensors), squares);
}

// Computes rate * sqrt(1 - beta^t) / (1 - alpha^t). The states begin at 0, and this corrects the bias of the first
// means.
ExprPtr AdamRate(const OptimiserStep& step, double alpha, double beta) {
  const auto missing = [&](double base) {
    return step.Both("subtract", step.Number(1), step.Both("power", step.Number(base), step.step()));
  };
  const ExprPtr root = step.Both("power", missing(beta), step.Number(0.5));
  return step.AtFirst(step.rate(), step.Both("divide", step.Both("multiply", step.rate(), root), missing(alpha)));
}

std::vector<ExprPtr> Adam(const OnnxNodeView& view) {
  const OptimiserStep step(view, 4);
  const double alpha = view.Float("alpha", 0.9), beta = view.Float("beta", 0.999);
  const double shrink = 1 - view.Float("norm_coefficient_post", 0);
  const ExprPtr rate = AdamRate(step, alpha, beta);
  std::vector<ExprPtr> tensors, means, squares;
  for (int i = 0; i < step.tensors(); ++i) {
    const ExprPtr gradient = step.Gradient(i);
    means.push_back(step.Mixed(step.Of(2, i), alpha, gradient, 1 - alpha));
    squares.push_back(step.Mixed(step.Of(3, i), beta, step.Both("multiply", gradient, gradient), 1 - beta));
    const ExprPtr move = step.Both("multiply", step.Both("divide", means.back(), step.Root(squares.back())), rate);
    tensors.push_back(step.With("multiply", step.Both("subtract", step.Of(0, i), move), shrink));
  }
  return Joined(Joined(std::move(tensors), means), squares);
}

std::vector<ExprPtr> Momentum(const OnnxNodeView& view) {
  const OptimiserStep step(view, 3);
  const std::string mode = view.String("mode", "standard");
  if (mode != "standard" && mode != "nesterov") {
    RefuseNode(fmt::format("mode=\"{}\" is not known; standard and nesterov are", mode));
  }
  const double alpha = view.Float("alpha", 0);
  const ExprPtr share = step.AtFirst(step.Number(1), step.Number(view.Float("beta", 1)));
  std::vector<ExprPtr> tensors, momenta;
  for (int i = 0; i < step.tensors(); ++i) {
    const ExprPtr gradient = step.Gradient(i);
    const ExprPtr kept = step.With("multiply", step.Of(2, i), alpha);
    momenta.push_back(step.Both("add", kept, step.Both("multiply", gradient, share)));
    const ExprPtr ahead = step.Both("add", gradient, step.With("multiply", momenta.back(), alpha));
    const ExprPtr move = step.Both("multiply", mode == "nesterov" ? ahead : momenta.back(), step.rate());
    tensors.push_back(step.Both("subtract", step.Of(0, i), move));
  }
  return Joined(std::move(tensors), momenta);
}

}  // namespace

OnnxOperatorTable OptimiserOperators() {
  return {{"Adagrad",
           5,
           -1,
           Adagrad,
           {"decay_factor", "epsilon", "norm_coefficient"},
           {.becomes = "add cast divide multiply sqrt subtract"},
           kTraining},
          {"Adam",
           6,
           -1,
           Adam,
           {"alpha", "beta", "epsilon", "norm_coefficient", "norm_coefficient_post"},
           {.becomes = "add cast divide greater multiply power sqrt subtract where"},
           kTraining},
          {"Momentum",
           5,
           -1,
           Momentum,
           {"alpha", "beta", "mode", "norm_coefficient"},
           {.becomes = "add cast greater multiply subtract where"},
           kTraining}};
}

}  // namespace hone
