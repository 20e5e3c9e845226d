#include <fmt/format.h>

#include <algorithm>

#include "compiler/passes/general_passes.h"
#include "compiler/passes/graph/fold_constants.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/op.h"
#include "core/error.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

bool IsEmpty(const relay::TypePtr& type) {
  if (type->kind == relay::TypeKind::kTuple) return std::all_of(type->fields.begin(), type->fields.end(), IsEmpty);
  return type->kind == relay::TypeKind::kTensor && IsStatic(type->shape) && ElementCount(type->shape) == 0;
}

bool HasEmptyField(const relay::Tuple& tuple) {
  return std::any_of(tuple.fields.begin(), tuple.fields.end(),
                     [](const ExprPtr& field) { return IsEmpty(field->type); });
}

bool ReadsEmpty(const Call& call) {
  return std::any_of(call.args.begin(), call.args.end(), [](const ExprPtr& arg) {
    const relay::Tuple* tuple = relay::AsTuple(arg);
    return tuple ? HasEmptyField(*tuple) : IsEmpty(arg->type);
  });
}

ExprPtr AsValue(const ExprPtr& node, const Uses&) {
  const bool tensor = node->type->kind == relay::TypeKind::kTensor;
  if (!tensor || !IsEmpty(node->type) || relay::AsConstant(node) != nullptr) return nullptr;
  const relay::Var* var = relay::AsVar(node);
  const Call* call = relay::AsCall(node);
  const std::string name = var ? var->name : call ? call->name : "";
  return relay::MakeConstant(Tensor(node->type->dtype, node->type->shape), name);
}

ExprPtr WithoutFields(const ExprPtr& node, const Uses&) {
  const Call* concat = relay::AsCallTo(node, "concatenate");
  const relay::Tuple* tuple = concat ? relay::AsTuple(concat->args[0]) : nullptr;
  if (tuple == nullptr || IsEmpty(node->type) || !HasEmptyField(*tuple)) return nullptr;
  std::vector<ExprPtr> fields = tuple->fields;
  std::erase_if(fields, [](const ExprPtr& field) { return IsEmpty(field->type); });
  if (fields.size() == 1) return fields[0];
  return TypedCall("concatenate", {TypedTuple(std::move(fields))}, concat->attrs, concat->name);
}

ExprPtr Computed(const ExprPtr& node, const Uses&) {
  const Call* call = relay::AsCall(node);
  if (call == nullptr || IsEmpty(node->type) || !ReadsEmpty(*call)) return nullptr;
  ExprPtr value = FoldConstant(node);
  // Results with elements may need no data if there are several results.
  if (value != nullptr || node->type->kind == relay::TypeKind::kTuple) return value;
  throw Error(ExitCode::kBadData, fmt::format("{}{}{} of {} would have elements from a tensor without any",
                                              relay::AsOp(call->op)->def->name, call->name.empty() ? "" : " ",
                                              call->name, relay::ToText(node->type)));
}

}  // namespace

relay::IRModule DropEmpty(const relay::IRModule& module) {
  return RewriteByRules(module, {AsValue, WithoutFields, Computed});
}

}  // namespace hone
