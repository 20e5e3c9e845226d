// Activations with attributes or bounds.
#include <fmt/format.h>

#include <limits>
#include <optional>

#include "compiler/frontend/onnx/onnx_operators.h"

namespace hone {
namespace {

using relay::ExprPtr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A bound of Clip that is known now: the attribute before opset 11, the input since.
std::optional<double> KnownBound(const OnnxNodeView& view, int input, std::string_view attribute, double otherwise) {
  if (view.opset() < 11) return view.Float(attribute, otherwise);
  if (!view.HasInput(input)) return otherwise;
  const Tensor* value = view.InputValue(input);
  if (value == nullptr) return std::nullopt;
  if (value->elements() != 1) RefuseNode(fmt::format("its {} has {} elements, not 1", attribute, value->elements()));
  return value->At(0);
}

std::vector<ExprPtr> Clip(const OnnxNodeView& view) {
  std::optional<double> lo = KnownBound(view, 1, "min", -kInfinity);
  std::optional<double> hi = KnownBound(view, 2, "max", kInfinity);
  if (lo && hi) {
    // Exporters write the largest float for "no bound".
    if (*lo <= std::numeric_limits<float>::lowest()) lo = -kInfinity;
    if (*hi >= std::numeric_limits<float>::max()) hi = kInfinity;
    return {view.Call("clip", {view.Input(0)}, {{"a_min", *lo}, {"a_max", *hi}})};
  }
  ExprPtr result = view.Input(0);
  if (view.HasInput(1)) result = view.Call("maximum", {result, view.Input(1)});
  if (view.HasInput(2)) result = view.Call("minimum", {result, view.Input(2)});
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
  const ExprPtr positive = view.Call("nn.relu", {data});
  const ExprPtr negative = view.Call("subtract", {data, positive});
  return {view.Call("add", {positive, view.Call("multiply", {negative, view.Input(1)})})};
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
