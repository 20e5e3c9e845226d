#include <algorithm>
#include <cmath>
#include <optional>

#include "compiler/passes/canonicalise.h"
#include "compiler/passes/channel_constant.h"
#include "compiler/relay/op.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

ExprPtr ConstantSecond(const ExprPtr& node, const Uses&) {
  for (const char* name : {"add", "multiply", "maximum", "minimum"}) {
    const Call* call = relay::AsCallTo(node, name);
    if (call != nullptr && relay::AsConstant(call->args[0]) != nullptr && relay::AsConstant(call->args[1]) == nullptr) {
      return TypedCall(name, {call->args[1], call->args[0]}, {}, call->name);
    }
  }
  return nullptr;
}

ExprPtr AddAsBias(const ExprPtr& node, const Uses&) {
  const Call* add = relay::AsCallTo(node, "add");
  if (add == nullptr) return nullptr;
  const ExprPtr& layer = add->args[0];
  if (relay::AsCallTo(layer, "nn.conv2d") == nullptr && relay::AsCallTo(layer, "nn.dense") == nullptr) return nullptr;
  const Shape& shape = ShapeOf(layer);
  const auto bias = shape.size() >= 2 && shape == ShapeOf(node) ? PerChannel(add->args[1], shape, 1) : std::nullopt;
  if (!bias) return nullptr;
  return TypedCall("nn.bias_add", {layer, VectorConstant(*bias, relay::AsConstant(add->args[1])->name)}, {}, add->name);
}

// axis -1 of a matrix is axis 1.
ExprPtr PlainBiasAxis(const ExprPtr& node, const Uses&) {
  const Call* add = relay::AsCallTo(node, "nn.bias_add");
  const int64_t axis = add ? add->attrs.GetInt("axis", 1) : 1;
  if (axis >= 0 || axis + static_cast<int64_t>(ShapeOf(node).size()) != 1) return nullptr;
  return TypedCall("nn.bias_add", add->args, {}, add->name);
}

ExprPtr MeanAsPool(const ExprPtr& node, const Uses&) {
  const Call* mean = relay::AsCallTo(node, "mean");
  if (mean == nullptr || ShapeOf(mean->args[0]).size() != 4 || mean->attrs.GetBool("exclude")) return nullptr;
  std::vector<int64_t> axes = mean->attrs.GetInts("axis");
  for (int64_t& axis : axes) axis += axis < 0 ? 4 : 0;
  std::sort(axes.begin(), axes.end());
  if (axes != std::vector<int64_t>{2, 3}) return nullptr;
  const ExprPtr pool = TypedCall("nn.global_avg_pool2d", mean->args, {}, mean->name);
  if (mean->attrs.GetBool("keepdims")) return pool;
  return TypedCall("reshape", {pool}, {{"newshape", ShapeOf(node)}}, mean->name);
}

ExprPtr MaximumAsRelu(const ExprPtr& node, const Uses&) {
  const Call* call = relay::AsCallTo(node, "maximum");
  if (call == nullptr || ScalarOf(call->args[1]) != 0.0 || ShapeOf(call->args[0]) != ShapeOf(node)) return nullptr;
  return TypedCall("nn.relu", {call->args[0]}, {}, call->name);
}

// A product as its factors other than constants, with the constants multiplied.
struct Product {
  std::vector<ExprPtr> factors;
  double constant = 1;
};

void Collect(const ExprPtr& expr, int depth, Product& product) {
  const Call* multiply = relay::AsCallTo(expr, "multiply");
  const Call* divide = relay::AsCallTo(expr, "divide");
  if (depth > 0 && multiply != nullptr) {
    Collect(multiply->args[0], depth - 1, product);
    Collect(multiply->args[1], depth - 1, product);
  } else if (const auto divisor = divide ? ScalarOf(divide->args[1]) : std::nullopt; depth > 0 && divisor) {
    Collect(divide->args[0], depth - 1, product);
    product.constant /= *divisor;
  } else if (const auto value = ScalarOf(expr)) {
    product.constant *= *value;
  } else {
    product.factors.push_back(expr);
  }
}

bool Near(double a, double b) { return std::abs(a - b) <= 1e-6 * std::abs(b); }

// `gate` is clip(x + 3, 0, 6) times `constant` = 1/6, or the same as nn.hard_sigmoid.
bool IsHardGate(const ExprPtr& gate, const ExprPtr& x, double constant) {
  if (const Call* hard = relay::AsCallTo(gate, "nn.hard_sigmoid")) {
    return hard->args[0] == x && Near(hard->attrs.GetFloat("alpha"), 1.0 / 6) &&
           Near(hard->attrs.GetFloat("beta"), 0.5) && Near(constant, 1);
  }
  const Call* clip = relay::AsCallTo(gate, "clip");
  const Call* add = clip ? relay::AsCallTo(clip->args[0], "add") : nullptr;
  return add != nullptr && add->args[0] == x && ScalarOf(add->args[1]) == 3.0 && clip->attrs.GetFloat("a_min") == 0 &&
         clip->attrs.GetFloat("a_max") == 6 && Near(constant, 1.0 / 6);
}

ExprPtr AsHardSwish(const ExprPtr& node, const Uses&) {
  if (relay::AsCallTo(node, "multiply") == nullptr && relay::AsCallTo(node, "divide") == nullptr) return nullptr;
  Product product;
  Collect(node, 3, product);
  if (product.factors.size() != 2) return nullptr;
  for (size_t i = 0; i < 2; ++i) {
    const ExprPtr& x = product.factors[i];
    if (!IsHardGate(product.factors[1 - i], x, product.constant) || ShapeOf(x) != ShapeOf(node)) continue;
    return TypedCall("nn.hard_swish", {x}, {}, relay::AsCall(node)->name);
  }
  return nullptr;
}

}  // namespace

const std::vector<Rule>& ArithmeticRules() {
  static const std::vector<Rule> rules{ConstantSecond, AddAsBias,     PlainBiasAxis,
                                       MeanAsPool,     MaximumAsRelu, AsHardSwish};
  return rules;
}

}  // namespace hone
