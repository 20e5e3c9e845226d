// A product of a tensor of higher rank with a matrix is an nn.dense between two reshapes. Operators behind it move
// before the second reshape, so that the kernel's epilogue can fuse them:
//
//    reshape -> dense -> reshape -> add -> relu    becomes    reshape -> dense -> add -> relu -> reshape
#include "compiler/passes/graph/anchor.h"
#include "compiler/passes/graph/channel_constant.h"
#include "compiler/passes/graph/whole_numbers.h"
#include "compiler/passes/rules/canonicalise.h"
#include "compiler/relay/op.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

// Whether it is an nn.dense, perhaps with bias and a sum, or the result of a dense layer of integers.
bool IsDenseProduct(const ExprPtr& expr) {
  if (IsOfWhole("nn.dense", expr)) return true;
  const Call* sum = relay::AsCallTo(expr, "add");
  const ExprPtr& biased = sum ? sum->args[0] : expr;
  const Call* bias = relay::AsCallTo(biased, "nn.bias_add");
  return relay::AsCallTo(bias ? bias->args[0] : biased, "nn.dense") != nullptr;
}

// The reshape of a product, or null.
const Call* AsReshapedProduct(const ExprPtr& expr) {
  const Call* reshape = relay::AsCallTo(expr, "reshape");
  return reshape != nullptr && IsDenseProduct(reshape->args[0]) ? reshape : nullptr;
}

ExprPtr BiasBeforeReshape(const ExprPtr& node, const Uses&) {
  const Call* add = relay::AsCallTo(node, "add");
  const Call* reshape = add ? AsReshapedProduct(add->args[0]) : nullptr;
  if (reshape == nullptr || relay::AsCallTo(reshape->args[0], "nn.dense") == nullptr) return nullptr;
  const Shape& shape = ShapeOf(node);
  if (shape.empty() || shape != ShapeOf(add->args[0]) || shape.back() != ShapeOf(reshape->args[0])[1]) return nullptr;
  const auto bias = PerChannel(add->args[1], shape, static_cast<int>(shape.size()) - 1);
  if (!bias) return nullptr;
  const ExprPtr vector = VectorConstant(*bias, relay::AsConstant(add->args[1])->name);
  return TypedReshape(TypedCall("nn.bias_add", {reshape->args[0], vector}, {}, add->name), shape, reshape->name);
}

ExprPtr SumBeforeReshape(const ExprPtr& node, const Uses&) {
  const Call* add = relay::AsCallTo(node, "add");
  if (add == nullptr) return nullptr;
  for (const size_t side : {0, 1}) {
    const Call* reshape = AsReshapedProduct(add->args[side]);
    const ExprPtr& other = add->args[1 - side];
    if (reshape == nullptr || relay::AsCallTo(reshape->args[0], "add") != nullptr) continue;
    if (relay::AsConstant(other) != nullptr || ShapeOf(other) != ShapeOf(add->args[side])) continue;
    const ExprPtr& product = reshape->args[0];
    const ExprPtr matrix = TypedReshape(other, ShapeOf(product), "");
    return TypedReshape(TypedCall("add", {product, matrix}, {}, add->name), ShapeOf(node), reshape->name);
  }
  return nullptr;
}

ExprPtr ActivationBeforeReshape(const ExprPtr& node, const Uses&) {
  const Call* call = relay::AsCall(node);
  Epilogue unused;
  if (call == nullptr || !SetActivation(node, unused)) return nullptr;
  const Call* reshape = AsReshapedProduct(call->args[0]);
  if (reshape == nullptr) return nullptr;
  const ExprPtr active = TypedCall(relay::AsOp(call->op)->def->name, {reshape->args[0]}, call->attrs, call->name);
  return TypedReshape(active, ShapeOf(node), reshape->name);
}

}  // namespace

const std::vector<Rule>& ProductRules() {
  static const std::vector<Rule> rules{BiasBeforeReshape, SumBeforeReshape, ActivationBeforeReshape};
  return rules;
}

}  // namespace hone
