#include <cmath>
#include <optional>
#include <vector>

#include "compiler/passes/graph/channelwise.h"
#include "compiler/passes/rules/canonicalise.h"
#include "compiler/relay/op.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

ExprPtr MaximumAsRelu(const ExprPtr& node, const Uses&) {
  const Call* call = relay::AsCallTo(node, "maximum");
  if (call == nullptr || ScalarOf(call->args[1]) != 0.0 || ShapeOf(call->args[0]) != ShapeOf(node)) return nullptr;
  return TypedCall("nn.relu", {call->args[0]}, {}, call->name);
}

// A product as its factors that are not constants, and the product of the constants.
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

// Whether `gate` is clip(x + 3, 0, 6) with `constant` = 1/6, or nn.hard_sigmoid of the same values.
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

// Whether `gate` is 1 + erf(x / sqrt 2) and `constant` is 1/2.
bool IsNormalGate(const ExprPtr& gate, const ExprPtr& x, double constant) {
  const Call* add = relay::AsCallTo(gate, "add");
  const Call* erf = add ? relay::AsCallTo(add->args[0], "erf") : nullptr;
  if (erf == nullptr || ScalarOf(add->args[1]) != 1.0 || !Near(constant, 0.5)) return false;
  Product argument;
  Collect(erf->args[0], 1, argument);
  return argument.factors == std::vector<ExprPtr>{x} && Near(argument.constant, std::sqrt(0.5));
}

bool IsSigmoid(const ExprPtr& gate, const ExprPtr& x, double constant) {
  const Call* sigmoid = relay::AsCallTo(gate, "sigmoid");
  return sigmoid != nullptr && sigmoid->args[0] == x && Near(constant, 1);
}

// Whether `gate` is tanh(max(x, 0) + log(1 + exp(-|x|))).
bool IsMishGate(const ExprPtr& gate, const ExprPtr& x, double constant) {
  const auto of = [](const ExprPtr& expr, std::string_view op) {
    const Call* call = expr == nullptr ? nullptr : relay::AsCallTo(expr, op);
    return call == nullptr ? nullptr : call->args[0];
  };
  const ExprPtr sum = of(gate, "tanh");
  const Call* add = sum == nullptr ? nullptr : relay::AsCallTo(sum, "add");
  if (add == nullptr || !Near(constant, 1) || of(add->args[0], "nn.relu") != x) return false;
  return of(of(of(of(add->args[1], "log1p"), "exp"), "negative"), "abs") == x;
}

struct GatedActivation {
  const char* op;
  bool (*is_gate)(const ExprPtr& gate, const ExprPtr& x, double constant);
};
constexpr GatedActivation kGated[] = {
    {"nn.hard_swish", IsHardGate}, {"nn.silu", IsSigmoid}, {"nn.gelu", IsNormalGate}, {"nn.mish", IsMishGate}};

// Matches a product of x, a function of x and perhaps a constant.
ExprPtr AsGatedActivation(const ExprPtr& node, const Uses&) {
  if (relay::AsCallTo(node, "multiply") == nullptr && relay::AsCallTo(node, "divide") == nullptr) return nullptr;
  Product product;
  Collect(node, 3, product);
  if (product.factors.size() != 2) return nullptr;
  for (size_t i = 0; i < 2; ++i) {
    const ExprPtr &x = product.factors[i], &gate = product.factors[1 - i];
    if (ShapeOf(x) != ShapeOf(node)) continue;
    for (const GatedActivation& row : kGated) {
      if (row.is_gate(gate, x, product.constant)) return TypedCall(row.op, {x}, {}, relay::AsCall(node)->name);
    }
  }
  return nullptr;
}

}  // namespace

const std::vector<Rule>& ActivationRules() {
  static const std::vector<Rule> rules{MaximumAsRelu, AsGatedActivation};
  return rules;
}

}  // namespace hone
