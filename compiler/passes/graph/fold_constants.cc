#include "compiler/passes/graph/fold_constants.h"

#include <algorithm>

#include "compiler/relay/op.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;
using relay::TypePtr;

namespace {

constexpr int64_t kMostBytes = int64_t{1} << 30;

bool IsSmall(const TypePtr& type) {
  if (type->kind == relay::TypeKind::kTuple) return std::all_of(type->fields.begin(), type->fields.end(), IsSmall);
  return IsStatic(type->shape) && ElementCount(type->shape) <= kMostBytes / DTypeBytes(type->dtype);
}

// The values of constant arguments, tuples flattened; empty when some argument is not constant.
std::vector<Tensor> ConstantArgs(const Call& call) {
  std::vector<ExprPtr> leaves;
  for (const ExprPtr& arg : call.args) {
    const relay::Tuple* tuple = relay::AsTuple(arg);
    if (tuple == nullptr) leaves.push_back(arg);
    if (tuple != nullptr) leaves.insert(leaves.end(), tuple->fields.begin(), tuple->fields.end());
  }
  std::vector<Tensor> values;
  for (const ExprPtr& leaf : leaves) {
    const relay::Constant* constant = relay::AsConstant(leaf);
    if (constant == nullptr || !constant->type->layout.empty()) return {};
    values.push_back(constant->value);
  }
  return values;
}

ExprPtr FoldedShape(const Call& shape_of) {
  const Shape& shape = ShapeOf(shape_of.args[0]);
  if (!IsStatic(shape)) return nullptr;
  Tensor value(shape_of.type->dtype, {static_cast<int64_t>(shape.size())});
  for (size_t i = 0; i < shape.size(); ++i) value.Set(static_cast<int64_t>(i), static_cast<double>(shape[i]));
  return relay::MakeConstant(value, shape_of.name);
}

ExprPtr FoldedCall(const Call& call) {
  const relay::Op* op = relay::AsOp(call.op);
  if (op == nullptr || op->def->name == "layout_transform" || !IsSmall(call.type)) return nullptr;
  const std::vector<Tensor> args = ConstantArgs(call);
  if (args.empty()) return nullptr;
  std::vector<ExprPtr> results;
  for (const Tensor& result : op->def->reference(args, call.attrs)) {
    results.push_back(relay::MakeConstant(result, call.name));
  }
  return call.type->kind == relay::TypeKind::kTuple ? TypedTuple(std::move(results)) : results[0];
}

bool IsInteger(const TypePtr& type) {
  return type->kind == relay::TypeKind::kTensor && (type->dtype == DType::kInt64 || type->dtype == DType::kInt32);
}

}  // namespace

ExprPtr FoldConstant(const ExprPtr& node) {
  if (const relay::TupleGetItem* item = relay::AsTupleGetItem(node)) {
    const relay::Tuple* tuple = relay::AsTuple(item->tuple);
    return tuple ? tuple->fields.at(static_cast<size_t>(item->index)) : nullptr;
  }
  if (const Call* shape_of = relay::AsCallTo(node, "shape_of")) return FoldedShape(*shape_of);
  const Call* call = relay::AsCall(node);
  return call ? FoldedCall(*call) : nullptr;
}

ExprPtr FoldedIfConstant(const ExprPtr& expr) {
  const ExprPtr value = FoldConstant(expr);
  return value != nullptr ? value : expr;
}

relay::IRModule FoldConstants(const relay::IRModule& module, int opt_level) {
  return RewriteByRules(module, {[&](const ExprPtr& node, const Uses&) {
                          return opt_level > 0 || IsInteger(node->type) ? FoldConstant(node) : nullptr;
                        }});
}

}  // namespace hone
