// Activations with attributes or bounds.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "compiler/frontend/onnx/expressions.h"
#include "compiler/ops/onnx_families.h"
#include "core/tensor.h"

namespace hone {
namespace {

using relay::ExprPtr;

// A bound of Clip that is known at import time and that a double holds. Before opset 11 it is the attribute, whose
// default is the largest float; since then it is the input.
std::optional<double> KnownBound(const OnnxNodeView& view, int input, std::string_view attribute, double sign) {
  if (view.opset() < 11) return view.Float(attribute, sign * std::numeric_limits<float>::max());
  if (!view.HasInput(input)) return sign * std::numeric_limits<double>::infinity();
  const Tensor* value = view.InputValue(input);
  if (value == nullptr) return std::nullopt;
  if (value->elements() != 1) RefuseNode(fmt::format("its {} has {} elements, not 1", attribute, value->elements()));
  return HeldByDouble(*value, 0) ? std::optional(value->At(0)) : std::nullopt;
}

std::vector<ExprPtr> Clip(const OnnxNodeView& view) {
  const std::optional<double> lo = KnownBound(view, 1, "min", -1), hi = KnownBound(view, 2, "max", 1);
  if (lo && hi) return {view.Call("clip", {view.Input(0)}, {{"a_min", *lo}, {"a_max", *hi}})};
  ExprPtr result = view.Input(0);
  if (view.HasInput(1)) result = view.Call("maximum", {result, view.Reshape(view.Input(1), {})});
  if (view.HasInput(2)) result = view.Call("minimum", {result, view.Reshape(view.Input(2), {})});
  return {result};
}

std::vector<ExprPtr> LeakyRelu(const OnnxNodeView& view) {
  return {view.Call("nn.leaky_relu", {view.Input(0)}, {{"alpha", view.Float("alpha", 0.01)}})};
}

std::vector<ExprPtr> HardSigmoid(const OnnxNodeView& view) {
  return {view.Call("nn.hard_sigmoid", {view.Input(0)},
                    {{"alpha", view.Float("alpha", 0.2)}, {"beta", view.Float("beta", 0.5)}})};
}

std::vector<ExprPtr> HardSwish(const OnnxNodeView& view) { return {view.Call("nn.hard_swish", {view.Input(0)})}; }

// Whether the slope, broadcast to the data, has one value per channel (axis 1).
bool IsPerChannel(const Shape& slope, const Shape& data) {
  if (data.size() < 2 || slope.size() > data.size() || ElementCount(slope) != data[1]) return false;
  const size_t lead = data.size() - slope.size();
  return lead <= 1 && slope[1 - lead] == data[1];
}

std::vector<ExprPtr> PRelu(const OnnxNodeView& view) {
  const ExprPtr& data = view.Input(0);
  const Tensor* slope = view.InputValue(1);
  if (slope != nullptr && slope->elements() == 1) {
    return {view.Call("nn.leaky_relu", {data}, {{"alpha", slope->At(0)}})};
  }
  const Shape& shape = view.InputShape(1);
  if (IsPerChannel(shape, view.InputShape(0))) {
    return {view.Call("nn.prelu", {data, view.Reshape(view.Input(1), {ElementCount(shape)})}, {{"axis", int64_t{1}}})};
  }
  const ExprPtr below = WithScalar(view, "less", data, 0);
  return {view.Call("where", {below, view.Call("multiply", {data, view.Input(1)}), data})};
}

// Activations defined by exponentials or thresholds: chains of simpler operators, which one kernel computes.

ExprPtr NotAbove(const OnnxNodeView& view, const ExprPtr& x, double bound) {
  return view.Call("clip", {x}, {{"a_max", bound}});
}

// Computes max(x, 0) + alpha (exp(min(x, 0)) - 1).
ExprPtr ExponentialLinear(const OnnxNodeView& view, double alpha) {
  const ExprPtr& x = view.Input(0);
  const ExprPtr below = WithScalar(view, "multiply", view.Call("expm1", {NotAbove(view, x, 0)}), alpha);
  return view.Call("add", {view.Call("nn.relu", {x}), below});
}

std::vector<ExprPtr> Elu(const OnnxNodeView& view) { return {ExponentialLinear(view, view.Float("alpha", 1))}; }

std::vector<ExprPtr> Selu(const OnnxNodeView& view) {
  const double alpha = view.Float("alpha", 1.67326319217681884765625);
  const double gamma = view.Float("gamma", 1.05070102214813232421875);
  return {WithScalar(view, "multiply", ExponentialLinear(view, alpha), gamma)};
}

// Computes max(x, 0) + min(alpha (exp(x / alpha) - 1), 0).
std::vector<ExprPtr> Celu(const OnnxNodeView& view) {
  const double alpha = view.Float("alpha", 1);
  if (alpha == 0) RefuseNode("alpha is 0; it divides the data");
  const ExprPtr ratio = WithScalar(view, "divide", view.Input(0), alpha);
  const ExprPtr below = NotAbove(view, WithScalar(view, "multiply", view.Call("expm1", {ratio}), alpha), 0);
  return {view.Call("add", {view.Call("nn.relu", {view.Input(0)}), below})};
}

// log(1 + exp(x)) as max(x, 0) + log(1 + exp(-|x|)), whose exponential cannot overflow.
std::vector<ExprPtr> Softplus(const OnnxNodeView& view) {
  const ExprPtr decay = view.Call("exp", {view.Call("negative", {view.Call("abs", {view.Input(0)})})});
  return {view.Call("add", {view.Call("nn.relu", {view.Input(0)}), view.Call("log1p", {decay})})};
}

std::vector<ExprPtr> Softsign(const OnnxNodeView& view) {
  return {view.Call("divide", {view.Input(0), WithScalar(view, "add", view.Call("abs", {view.Input(0)}), 1)})};
}

std::vector<ExprPtr> Mish(const OnnxNodeView& view) { return {view.Call("nn.mish", {view.Input(0)})}; }

std::vector<ExprPtr> Swish(const OnnxNodeView& view) {
  const double alpha = view.Float("alpha", 1);
  if (alpha == 1) return {view.Call("nn.silu", {view.Input(0)})};
  const ExprPtr gate = view.Call("sigmoid", {WithScalar(view, "multiply", view.Input(0), alpha)});
  return {view.Call("multiply", {view.Input(0), gate})};
}

// The swish of the first input, times the second input.
std::vector<ExprPtr> SwiGlu(const OnnxNodeView& view) {
  return {view.Call("multiply", {Swish(view)[0], view.Input(1)})};
}

// x (1 + tanh(u)) / 2 equals x sigmoid(2 u) for u = sqrt(2 / pi) (x + 0.044715 x^3). The lower bound of x avoids minus
// infinity times 0, which is NaN.
ExprPtr GeluByTanh(const OnnxNodeView& view) {
  const ExprPtr x = view.Call("clip", {view.Input(0)}, {{"a_min", -1000.0}});
  const ExprPtr cube = view.Call("multiply", {view.Call("multiply", {x, x}), x});
  const ExprPtr sum = view.Call("add", {x, WithScalar(view, "multiply", cube, 0.044715)});
  const ExprPtr gate = WithScalar(view, "multiply", sum, 2 * std::sqrt(2 * std::numbers::inv_pi));
  return view.Call("multiply", {x, view.Call("sigmoid", {gate})});
}

std::vector<ExprPtr> Gelu(const OnnxNodeView& view) {
  const std::string approximate = view.String("approximate", "none");
  if (approximate == "tanh") return {GeluByTanh(view)};
  if (approximate != "none") {
    RefuseNode(fmt::format("approximate=\"{}\" is not supported; \"none\" and \"tanh\" are", approximate));
  }
  return {view.Call("nn.gelu", {view.Input(0)})};
}

std::vector<ExprPtr> ThresholdedRelu(const OnnxNodeView& view) {
  const ExprPtr& x = view.Input(0);
  const ExprPtr above = WithScalar(view, "greater", x, view.Float("alpha", 1));
  return {view.Call("where", {above, x, ScalarLike(view, x, 0)})};
}

// Integers are compared and shifted as floats, because bound and bias may have fractions; the result is truncated.
std::vector<ExprPtr> Shrink(const OnnxNodeView& view) {
  const DType dtype = view.builder().DTypeOf(view.Input(0));
  const ExprPtr x = IsFloat(dtype) ? view.Input(0) : AsDType(view, view.Input(0), DType::kFloat32);
  const double bias = view.Float("bias", 0), bound = view.Float("lambd", 0.5);
  const ExprPtr above = view.Call(
      "where", {WithScalar(view, "greater", x, bound), WithScalar(view, "subtract", x, bias), ScalarLike(view, x, 0)});
  const ExprPtr moved =
      view.Call("where", {WithScalar(view, "less", x, -bound), WithScalar(view, "add", x, bias), above});
  return {AsDType(view, moved, dtype)};
}

}  // namespace

OnnxOperatorTable ActivationOperators() {
  return {
      {"Clip", 1, 3, Clip, {"min", "max"}, {.becomes = "clip", .takes_counts = true}},
      {"LeakyRelu", 1, 1, LeakyRelu, {"alpha"}, {.becomes = "nn.leaky_relu", .takes_counts = true}},
      {"PRelu", 2, 2, PRelu, {}, {.becomes = "less multiply nn.leaky_relu nn.prelu where", .takes_counts = true}},
      {"HardSigmoid", 1, 1, HardSigmoid, {"alpha", "beta"}, {.becomes = "nn.hard_sigmoid", .takes_counts = true}},
      {"HardSwish", 1, 1, HardSwish, {}, {.becomes = "nn.hard_swish", .takes_counts = true}},
      {"Elu", 1, 1, Elu, {"alpha"}, {.becomes = "add clip expm1 multiply nn.relu", .takes_counts = true}},
      {"Selu", 1, 1, Selu, {"alpha", "gamma"}, {.becomes = "add clip expm1 multiply nn.relu", .takes_counts = true}},
      {"Celu", 1, 1, Celu, {"alpha"}, {.becomes = "add clip divide expm1 multiply nn.relu", .takes_counts = true}},
      {"Softplus", 1, 1, Softplus, {}, {.becomes = "abs add exp log1p negative nn.relu", .takes_counts = true}},
      {"Softsign", 1, 1, Softsign, {}, {.becomes = "abs add divide", .takes_counts = true}},
      {"Mish", 1, 1, Mish, {}, {.becomes = "nn.mish", .takes_counts = true}},
      {"Swish", 1, 1, Swish, {"alpha"}, {.becomes = "multiply sigmoid", .takes_counts = true}},
      {"SwiGLU", 2, 2, SwiGlu, {"alpha"}, {.becomes = "multiply nn.silu", .takes_counts = true}},
      {"Gelu", 1, 1, Gelu, {"approximate"}, {.becomes = "add clip multiply nn.gelu sigmoid", .takes_counts = true}},
      {"ThresholdedRelu", 1, 1, ThresholdedRelu, {"alpha"}, {.becomes = "greater where", .takes_counts = true}},
      {"Shrink",
       1,
       1,
       Shrink,
       {"bias", "lambd"},
       {.becomes = "add cast greater less subtract where", .takes_counts = true}}};
}

}  // namespace hone
