#include "compiler/ops/classical/onnx_post_transform.h"

#include <fmt/format.h>

#include "compiler/frontend/onnx/scalar_like.h"

namespace hone {
namespace {

using relay::ExprPtr;

// A softmax in which scores of 0 stay 0.
ExprPtr SoftmaxZero(const OnnxNodeView& view, const ExprPtr& scores) {
  const auto number = [&](double value) { return ScalarLike(view, scores, value); };
  const ExprPtr is_score = view.Call("greater", {view.Call("abs", {scores}), number(1e-7)});
  const relay::Attrs row{{"axis", std::vector<int64_t>{1}}, {"keepdims", true}};
  const ExprPtr largest = view.Call("max", {scores}, row);
  const ExprPtr power = view.Call("exp", {view.Call("subtract", {scores, largest})});
  const ExprPtr rest = view.Call("multiply", {scores, view.Call("exp", {view.Call("negative", {largest})})});
  const ExprPtr parts = view.Call("where", {is_score, power, rest});
  return view.Call("divide", {parts, view.Call("sum", {parts}, row)});
}

// sqrt(2) times the inverse erf of 2 s - 1.
ExprPtr Probit(const OnnxNodeView& view, const ExprPtr& scores) {
  constexpr double kPi = 3.14159, kA = 0.147;
  const auto number = [&](double value) { return ScalarLike(view, scores, value); };
  const auto times = [&](const ExprPtr& x, double factor) { return view.Call("multiply", {x, number(factor)}); };
  const ExprPtr x = view.Call("subtract", {times(scores, 2), number(1)});
  const ExprPtr product =
      view.Call("multiply", {view.Call("subtract", {number(1), x}), view.Call("add", {number(1), x})});
  const ExprPtr log = view.Call("log", {product});
  const ExprPtr v = view.Call("add", {times(log, 0.5), number(2 / (kPi * kA))});
  const ExprPtr root = view.Call("sqrt", {view.Call("subtract", {view.Call("multiply", {v, v}), times(log, 1 / kA)})});
  const ExprPtr size = view.Call("sqrt", {view.Call("subtract", {root, v})});
  const ExprPtr is_negative = view.Call("less", {x, number(0)});
  return times(view.Call("where", {is_negative, view.Call("negative", {size}), size}), 1.41421356);
}

}  // namespace

ExprPtr PostTransform(const OnnxNodeView& view, const ExprPtr& scores, std::string_view name) {
  if (name == "NONE") return scores;
  if (name == "LOGISTIC") return view.Call("sigmoid", {scores});
  if (name == "SOFTMAX") return view.Call("nn.softmax", {scores});
  if (name == "SOFTMAX_ZERO") return SoftmaxZero(view, scores);
  if (name == "PROBIT") return Probit(view, scores);
  RefuseNode(fmt::format("post_transform is \"{}\"; it may be NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO or PROBIT", name));
}

}  // namespace hone
