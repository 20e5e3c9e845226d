#include "compiler/passes/sink_concats.h"

#include "compiler/passes/convolutions/sink_phases.h"
#include "compiler/passes/graph/channel_constant.h"
#include "compiler/passes/graph/channelwise.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/op.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

ExprPtr SunkUnary(const ExprPtr& node, const Uses& uses) {
  const Call* call = relay::AsCall(node);
  if (call == nullptr || !IsUnary(*call) || !relay::Equal(call->type, call->args[0]->type) ||
      uses.Of(call->args[0]) != 1)
    return nullptr;
  const Call* concat = relay::AsCallTo(call->args[0], "concatenate");
  const relay::Tuple* tuple = concat ? relay::AsTuple(concat->args[0]) : nullptr;
  if (tuple == nullptr) return nullptr;
  std::vector<ExprPtr> parts;
  for (const ExprPtr& field : tuple->fields) {
    parts.push_back(TypedCall(relay::AsOp(call->op)->def->name, {field}, call->attrs, call->name));
  }
  return TypedCall("concatenate", {TypedTuple(std::move(parts))}, concat->attrs, concat->name);
}

ExprPtr SunkBias(const ExprPtr& node, const Uses& uses) {
  const Call* add = relay::AsCallTo(node, "nn.bias_add");
  const Call* concat = add && uses.Of(add->args[0]) == 1 ? relay::AsCallTo(add->args[0], "concatenate") : nullptr;
  const relay::Tuple* tuple = concat ? relay::AsTuple(concat->args[0]) : nullptr;
  if (tuple == nullptr || !IsBias(*add) || concat->attrs.GetInt("axis") != 1 || !IsStatic(ShapeOf(node)))
    return nullptr;
  const auto bias = PerChannel(add->args[1], {ShapeOf(node)[1]}, 0);
  if (!bias) return nullptr;
  std::vector<ExprPtr> parts;
  auto next = bias->begin();
  for (const ExprPtr& field : tuple->fields) {
    const std::vector<double> own(next, next + ShapeOf(field)[1]);
    next += ShapeOf(field)[1];
    parts.push_back(
        TypedCall("nn.bias_add", {field, VectorConstant(own, relay::AsConstant(add->args[1])->name)}, {}, add->name));
  }
  return TypedCall("concatenate", {TypedTuple(std::move(parts))}, concat->attrs, concat->name);
}

}  // namespace

relay::IRModule SinkConcats(const relay::IRModule& module) {
  return RewriteByRules(module, {SunkUnary, SunkBias, IntoPhases});
}

}  // namespace hone
