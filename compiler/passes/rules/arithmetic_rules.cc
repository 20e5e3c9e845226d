#include <algorithm>
#include <cmath>
#include <optional>

#include "compiler/passes/graph/channelwise.h"
#include "compiler/passes/rules/canonicalise.h"
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
  if (relay::AsCallTo(layer, "nn.conv2d") == nullptr && relay::AsCallTo(layer, "nn.dense") == nullptr &&
      relay::AsCallTo(layer, "nn.dense_blocks") == nullptr)
    return nullptr;
  const Shape& shape = ShapeOf(layer);
  const auto bias = shape.size() >= 2 && shape == ShapeOf(node) ? PerChannel(add->args[1], shape, 1) : std::nullopt;
  if (!bias) return nullptr;
  return TypedCall("nn.bias_add", {layer, VectorConstant(*bias, relay::AsConstant(add->args[1])->name)}, {}, add->name);
}

// Axis -1 of a matrix is axis 1.
ExprPtr PlainBiasAxis(const ExprPtr& node, const Uses&) {
  const Call* add = relay::AsCallTo(node, "nn.bias_add");
  const int64_t axis = add ? add->attrs.GetInt("axis", 1) : 1;
  if (axis >= 0 || axis + static_cast<int64_t>(ShapeOf(node).size()) != 1) return nullptr;
  return TypedCall("nn.bias_add", add->args, {}, add->name);
}

// Division by a power of two: the product is exact too, except for results too small to be normal.
ExprPtr DivideAsMultiply(const ExprPtr& node, const Uses&) {
  const Call* divide = relay::AsCallTo(node, "divide");
  const auto divisor = divide ? ScalarOf(divide->args[1]) : std::nullopt;
  if (!divisor || *divisor == 0 || !std::isfinite(1 / *divisor)) return nullptr;
  int exponent = 0;
  if (std::abs(std::frexp(*divisor, &exponent)) != 0.5 || std::abs(exponent) > 64) return nullptr;
  const relay::Constant* constant = AsFloat32Constant(divide->args[1]);
  if (constant == nullptr) return nullptr;
  Tensor inverse = constant->value.Clone();
  inverse.data<float>()[0] = static_cast<float>(1 / *divisor);
  return TypedCall("multiply", {divide->args[0], relay::MakeConstant(inverse, constant->name)}, {}, divide->name);
}

// Division by a root that many elements share. Roots are far from the ends of the range, so the inverse is normal.
ExprPtr DivideByRoot(const ExprPtr& node, const Uses&) {
  constexpr int64_t kShare = 4;
  const Call* divide = relay::AsCallTo(node, "divide");
  const Call* root = divide ? relay::AsCallTo(divide->args[1], "sqrt") : nullptr;
  if (root == nullptr || !relay::IsFloatTensor(node->type) || !IsStatic(ShapeOf(node))) return nullptr;
  if (ElementCount(root->type->shape) * kShare > ElementCount(ShapeOf(node))) return nullptr;
  const ExprPtr inverse = TypedCall("divide", {ScalarConstant(1), divide->args[1]}, {}, divide->name);
  return TypedCall("multiply", {divide->args[0], inverse}, {}, divide->name);
}

// x ** n by repeated squaring.
ExprPtr WholePower(const ExprPtr& x, int64_t n, const std::string& name) {
  ExprPtr product, square = x;
  for (; n > 0; n /= 2) {
    if (n % 2 == 1) product = product == nullptr ? square : TypedCall("multiply", {product, square}, {}, name);
    if (n > 1) square = TypedCall("multiply", {square, square}, {}, name);
  }
  return product;
}

// Covers exponents for which products equal C's pow but for the last bits, whatever the sign: integers from 1 to kMost,
// and -1.
ExprPtr PowerAsProducts(const ExprPtr& node, const Uses&) {
  constexpr double kMost = 8;
  const Call* power = relay::AsCallTo(node, "power");
  const auto exponent = power ? ScalarOf(power->args[1]) : std::nullopt;
  if (!exponent || !relay::IsFloatTensor(node->type) || ShapeOf(power->args[0]) != ShapeOf(node)) return nullptr;
  if (*exponent == -1) return TypedCall("divide", {ScalarConstant(1), power->args[0]}, {}, power->name);
  if (*exponent < 1 || *exponent > kMost || *exponent != std::floor(*exponent)) return nullptr;
  return WholePower(power->args[0], static_cast<int64_t>(*exponent), power->name);
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

}  // namespace

const std::vector<Rule>& ArithmeticRules() {
  static const std::vector<Rule> rules{ConstantSecond, AddAsBias,       PlainBiasAxis, DivideAsMultiply,
                                       DivideByRoot,   PowerAsProducts, MeanAsPool};
  return rules;
}

}  // namespace hone
