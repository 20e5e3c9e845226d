#include "compiler/frontend/onnx/typed_builder.h"

#include <fmt/format.h>

#include "compiler/relay/op.h"
#include "core/error.h"
#include "core/nth.h"

namespace hone {

using relay::AsConstant;
using relay::AsOp;
using relay::AsTuple;
using relay::ExprPtr;
using relay::OpPattern;
using relay::TypeKind;
using relay::TypePtr;

namespace {

constexpr int64_t kMaxTypeBytes = int64_t{1} << 40;
constexpr int64_t kMaxSpentBytes = int64_t{1} << 30;

// A few bytes of model can declare anything: sizes are checked before somebody allocates them.
void CheckSize(const TypePtr& type) {
  for (const TypePtr& field : type->fields) CheckSize(field);
  if (type->kind != TypeKind::kTensor) return;
  if (ElementCount(type->shape) > kMaxTypeBytes / DTypeBytes(type->dtype)) {
    throw Error(ExitCode::kBadData, fmt::format("a result of shape {} is too large", ShapeText(type->shape)));
  }
}

// Models reduce shapes; sums over weights are left to a pass.
constexpr int64_t kMostReduced = 65536;

bool IsCheapToFold(OpPattern pattern, const std::vector<Tensor>& args) {
  if (pattern == OpPattern::kReduction) return args[0].elements() <= kMostReduced;
  return pattern == OpPattern::kElementwise || pattern == OpPattern::kBroadcast || pattern == OpPattern::kInjective;
}

// The arguments' values, a tuple's in its place; empty when one is not constant.
std::vector<Tensor> ConstantArgs(const relay::Call& call) {
  std::vector<ExprPtr> leaves;
  for (const ExprPtr& arg : call.args) {
    if (const relay::Tuple* tuple = AsTuple(arg)) {
      leaves.insert(leaves.end(), tuple->fields.begin(), tuple->fields.end());
    } else {
      leaves.push_back(arg);
    }
  }
  std::vector<Tensor> values;
  for (const ExprPtr& leaf : leaves) {
    const relay::Constant* constant = AsConstant(leaf);
    if (constant == nullptr) return {};
    values.push_back(constant->value);
  }
  return values;
}

}  // namespace

ExprPtr TypedBuilder::Weight(Tensor value, const std::string& name) {
  // Integers are shapes, axes and indices: structure, which is not a parameter even when weights are.
  if (freeze_ || !relay::IsKernelFloat(value.dtype())) return relay::MakeConstant(std::move(value), name);
  ExprPtr var = relay::MakeVar(name, relay::TensorType(value.shape(), value.dtype()));
  param_index_.emplace(var.get(), params_.size());
  params_.emplace_back(name, std::move(value));
  param_vars_.push_back(var);
  return var;
}

TypePtr TypedBuilder::TypeOf(const ExprPtr& expr) const {
  if (expr->type != nullptr) return expr->type;
  const auto type = types_.find(expr);
  if (type == types_.end()) throw Error(ExitCode::kBug, "an expression that the importer did not build");
  return type->second;
}

const Tensor* TypedBuilder::ValueOf(const ExprPtr& expr) const {
  if (const relay::Constant* constant = AsConstant(expr)) return &constant->value;
  const auto param = param_index_.find(expr.get());
  return param == param_index_.end() ? nullptr : &params_[param->second].second;
}

void TypedBuilder::Spend(int64_t bytes) {
  if (bytes > kMaxSpentBytes - spent_bytes_) {
    throw Error(ExitCode::kBadData,
                "the model computes more than 1 GiB of constants; one that needs so much stores it");
  }
  spent_bytes_ += bytes;
}

ExprPtr TypedBuilder::Fold(const relay::Call& call, const TypePtr& type) {
  const relay::OpDef& def = *AsOp(call.op)->def;
  if (type->kind != TypeKind::kTensor) return nullptr;
  const std::vector<Tensor> values = ConstantArgs(call);
  if (values.empty() || !IsCheapToFold(def.pattern, values)) return nullptr;
  Spend(ElementCount(type->shape) * DTypeBytes(type->dtype));
  const relay::Constant* first = AsConstant(call.args[0]);
  return relay::MakeConstant(def.reference(values, call.attrs)[0], first != nullptr ? first->name : node_name_);
}

TypePtr TypedBuilder::CheckedType(const relay::Call& call) const {
  std::vector<TypePtr> types;
  for (const ExprPtr& arg : call.args) types.push_back(TypeOf(arg));
  TypePtr type = AsOp(call.op)->def->type_relation(types, call.attrs);
  CheckSize(type);
  return type;
}

ExprPtr TypedBuilder::Call(std::string_view op, std::vector<ExprPtr> args, relay::Attrs attrs) {
  ExprPtr expr = relay::MakeCall(op, std::move(args), std::move(attrs), node_name_);
  const TypePtr type = CheckedType(*relay::AsCall(expr));
  if (ExprPtr folded = Fold(*relay::AsCall(expr), type)) return folded;
  types_.emplace(expr, type);
  return expr;
}

ExprPtr TypedBuilder::Unfolded(std::string_view op, std::vector<ExprPtr> args, relay::Attrs attrs) {
  ExprPtr expr = relay::MakeCall(op, std::move(args), std::move(attrs), node_name_);
  types_.emplace(expr, CheckedType(*relay::AsCall(expr)));
  return expr;
}

ExprPtr TypedBuilder::CallOnTuple(std::string_view op, std::vector<ExprPtr> fields, relay::Attrs attrs) {
  std::vector<TypePtr> types;
  for (const ExprPtr& field : fields) types.push_back(TypeOf(field));
  ExprPtr tuple = relay::MakeTuple(std::move(fields));
  types_.emplace(tuple, relay::TupleType(std::move(types)));
  return Call(op, {tuple}, std::move(attrs));
}

ExprPtr TypedBuilder::Item(const ExprPtr& tuple, int index) {
  const TypePtr type = TypeOf(tuple);
  if (type->kind != TypeKind::kTuple || index >= static_cast<int>(type->fields.size())) {
    throw Error(ExitCode::kBug, "an item of something that has none");
  }
  ExprPtr item = relay::MakeTupleGetItem(tuple, index);
  types_.emplace(item, Nth(type->fields, index));
  return item;
}

}  // namespace hone
