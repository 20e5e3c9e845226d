// Activations with attributes or bounds.
#include <fmt/format.h>

#include <limits>
#include <optional>

#include "compiler/frontend/onnx/scalar_like.h"
#include "compiler/ops/onnx_families.h"
#include "core/integer_elements.h"

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

}  // namespace

OnnxOperatorTable ActivationOperators() {
  return {
      {"Clip", 1, 3, Clip, {"min", "max"}}, {"LeakyRelu", 1, 1, LeakyRelu, {"alpha"}},
      {"PRelu", 2, 2, PRelu, {}},           {"HardSigmoid", 1, 1, HardSigmoid, {"alpha", "beta"}},
      {"HardSwish", 1, 1, HardSwish, {}},
  };
}

}  // namespace hone
