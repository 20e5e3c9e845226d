#include <algorithm>
#include <functional>

#include "compiler/passes/convolutions/conv_passes.h"
#include "compiler/passes/graph/channelwise.h"
#include "compiler/passes/graph/fold_constants.h"
#include "compiler/relay/op.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

const Call* AsPhases(const ExprPtr& expr, const Uses& uses) {
  const Call* phases = relay::AsCallTo(expr, "nn.interleave");
  return phases != nullptr && uses.Of(expr) == 1 && relay::AsTuple(phases->args[0]) != nullptr ? phases : nullptr;
}

const std::vector<ExprPtr>& FieldsOf(const Call& phases) { return relay::AsTuple(phases.args[0])->fields; }

ExprPtr Interleaved(const Call& phases, std::vector<ExprPtr> fields) {
  return TypedCall("nn.interleave", {TypedTuple(std::move(fields))}, phases.attrs, phases.name);
}

// The interleave with `op` applied to each phase.
ExprPtr Each(const Call& phases, const std::function<ExprPtr(const ExprPtr& field)>& op) {
  std::vector<ExprPtr> fields;
  for (const ExprPtr& field : FieldsOf(phases)) fields.push_back(op(field));
  return Interleaved(phases, std::move(fields));
}

ExprPtr BatchNorm(const ExprPtr& node, const Uses& uses) {
  const relay::TupleGetItem* item = relay::AsTupleGetItem(node);
  const Call* norm = item != nullptr && item->index == 0 ? relay::AsCallTo(item->tuple, "nn.batch_norm") : nullptr;
  const Call* phases = norm != nullptr && uses.Of(item->tuple) == 1 ? AsPhases(norm->args[0], uses) : nullptr;
  if (phases == nullptr || norm->attrs.GetInt("axis", 1) != 1) return nullptr;
  return Each(*phases, [&](const ExprPtr& field) {
    std::vector<ExprPtr> args = norm->args;
    args[0] = field;
    return FoldedIfConstant(TypedItem(TypedCall("nn.batch_norm", std::move(args), norm->attrs, norm->name), 0));
  });
}

ExprPtr PerPixel(const ExprPtr& node, const Uses& uses) {
  const Call* call = relay::AsCall(node);
  if (call == nullptr || relay::AsOp(call->op) == nullptr || call->args.empty()) return nullptr;
  const Call* phases = AsPhases(call->args[0], uses);
  if (phases == nullptr || !TreatsPixelsAlike(*call) || ShapeOf(node) != phases->type->shape) return nullptr;
  return Each(*phases, [&](const ExprPtr& field) {
    std::vector<ExprPtr> args = call->args;
    args[0] = field;
    return FoldedIfConstant(TypedCall(relay::AsOp(call->op)->def->name, std::move(args), call->attrs, call->name));
  });
}

ExprPtr Sum(const ExprPtr& node, const Uses& uses) {
  const Call* add = relay::AsCallTo(node, "add");
  const Call* a = add != nullptr ? AsPhases(add->args[0], uses) : nullptr;
  const Call* b = a != nullptr ? AsPhases(add->args[1], uses) : nullptr;
  if (b == nullptr || a->type->shape != b->type->shape || FieldsOf(*a).size() != FieldsOf(*b).size()) return nullptr;
  if (a->attrs.GetInts("strides") != b->attrs.GetInts("strides")) return nullptr;
  std::vector<ExprPtr> fields;
  for (size_t i = 0; i < FieldsOf(*a).size(); ++i) {
    fields.push_back(FoldedIfConstant(TypedCall("add", {FieldsOf(*a)[i], FieldsOf(*b)[i]}, {}, add->name)));
  }
  return Interleaved(*a, std::move(fields));
}

}  // namespace

ExprPtr IntoPhases(const ExprPtr& node, const Uses& uses) {
  for (const auto& rule : {BatchNorm, PerPixel, Sum}) {
    if (ExprPtr sunk = rule(node, uses)) return sunk;
  }
  return nullptr;
}

}  // namespace hone
