#include "compiler/frontend/onnx/typed_builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/relay/op.h"
#include "core/error.h"
#include "core/nth.h"
#include "core/tensor.h"

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
// Limit of computed constants, including intermediate results: a number of bytes, or a multiple of the model's stored
// bytes if that is more. A matrix of bytes, for example, becomes floats, is transposed and is split.
constexpr int64_t kMaxSpentBytes = int64_t{1} << 30, kMaxSpentPerStored = 16;

// A few bytes of model can declare any size, so sizes are checked before anything is allocated.
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

// The arguments' values, a tuple's in its place; empty if one is not constant.
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
  stored_bytes_ += value.size_bytes();
  // Integers are shapes, axes and indices. They are structure and never parameters, even if weights are.
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
  if (counts_.contains(expr)) return nullptr;
  if (const relay::Constant* constant = AsConstant(expr)) return &constant->value;
  const auto param = param_index_.find(expr.get());
  return param == param_index_.end() ? nullptr : &params_[param->second].second;
}

void TypedBuilder::Spend(int64_t bytes) {
  const int64_t most = std::max(kMaxSpentBytes, kMaxSpentPerStored * stored_bytes_);
  if (bytes > most - spent_bytes_) {
    throw Error(ExitCode::kBadData, fmt::format("the model computes more than {} of constants; one that needs so much "
                                                "stores it",
                                                most == kMaxSpentBytes ? "1 GiB" : fmt::format("{} MiB", most >> 20)));
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
  types.reserve(call.args.size());
  for (const ExprPtr& arg : call.args) types.push_back(TypeOf(arg));
  TypePtr type = relay::CallType(*AsOp(call.op)->def, types, call.attrs);
  CheckSize(type);
  return type;
}

ExprPtr TypedBuilder::Call(std::string_view op, std::vector<ExprPtr> args, relay::Attrs attrs) {
  if (!counts_.empty() && AnyCounted(*this, args)) return CallOnCounted(*this, op, std::move(args), attrs);
  return Uncounted(op, std::move(args), std::move(attrs));
}

const Counts& TypedBuilder::CountsOf(const ExprPtr& expr) const {
  static const Counts none;
  const auto counts = counts_.find(expr);
  return counts == counts_.end() ? none : counts->second;
}

void TypedBuilder::SetCounts(const ExprPtr& expr, Counts counts) {
  if (std::all_of(counts.begin(), counts.end(), [](const ExprPtr& count) { return count == nullptr; })) return;
  for (size_t axis = 0; axis < counts.size(); ++axis) {
    if (counts[axis] != nullptr) bounds_.try_emplace(counts[axis], ShapeOf(expr)[axis]);
  }
  counts_[expr] = std::move(counts);
}

std::optional<int64_t> TypedBuilder::BoundOf(const ExprPtr& number) const {
  if (const auto bound = bounds_.find(number); bound != bounds_.end()) return bound->second;
  const Tensor* known = ValueOf(number);
  if (known != nullptr && known->elements() == 1) {
    return IsFloat(known->dtype()) ? static_cast<int64_t>(known->At(0)) : IntegerAt(*known, 0);
  }
  const relay::Call* call = relay::AsCall(number);
  if (call == nullptr || AsOp(call->op) == nullptr || ElementCount(ShapeOf(number)) != 1) return std::nullopt;
  const std::string_view op = AsOp(call->op)->def->name;
  if (op == "reshape" || op == "expand_dims" || op == "squeeze" || op == "cast") return BoundOf(call->args[0]);
  if (op == "take" && ElementCount(ShapeOf(call->args[0])) == 1) return BoundOf(call->args[0]);
  if (op == "concatenate" && AsTuple(call->args[0])->fields.size() == 1)
    return BoundOf(AsTuple(call->args[0])->fields[0]);
  if (op != "minimum") return std::nullopt;
  const auto a = BoundOf(call->args[0]), b = BoundOf(call->args[1]);
  return a && b ? std::min(*a, *b) : a ? a : b;
}

ExprPtr TypedBuilder::Uncounted(std::string_view op, std::vector<ExprPtr> args, relay::Attrs attrs) {
  ExprPtr expr = relay::MakeCall(op, std::move(args), std::move(attrs), node_name_);
  const TypePtr type = CheckedType(*relay::AsCall(expr));
  if (ExprPtr folded = Fold(*relay::AsCall(expr), type)) return folded;
  types_.emplace(expr, type);
  return expr;
}

ExprPtr TypedBuilder::Unfolded(std::string_view op, std::vector<ExprPtr> args, relay::Attrs attrs) {
  if (AnyCounted(*this, args)) {
    throw Error(ExitCode::kBadData, "it takes no input whose extent is counted in a run");
  }
  ExprPtr expr = relay::MakeCall(op, std::move(args), std::move(attrs), node_name_);
  types_.emplace(expr, CheckedType(*relay::AsCall(expr)));
  return expr;
}

ExprPtr TypedBuilder::CallOnTuple(std::string_view op, std::vector<ExprPtr> fields, relay::Attrs attrs) {
  return Call(op, {TupleOf(std::move(fields))}, std::move(attrs));
}

ExprPtr TypedBuilder::UncountedOnTuple(std::string_view op, std::vector<ExprPtr> fields, relay::Attrs attrs) {
  return Uncounted(op, {TupleOf(std::move(fields))}, std::move(attrs));
}

ExprPtr TypedBuilder::TupleOf(std::vector<ExprPtr> fields) {
  std::vector<TypePtr> types;
  types.reserve(fields.size());
  for (const ExprPtr& field : fields) types.push_back(TypeOf(field));
  ExprPtr tuple = relay::MakeTuple(std::move(fields));
  types_.emplace(tuple, relay::TupleType(std::move(types)));
  return tuple;
}

ExprPtr TypedBuilder::Item(const ExprPtr& tuple, int index) {
  const TypePtr type = TypeOf(tuple);
  if (type->kind != TypeKind::kTuple || index >= static_cast<int>(type->fields.size())) {
    throw Error(ExitCode::kBug, "an item of something that has none");
  }
  ExprPtr item = relay::MakeTupleGetItem(tuple, index);
  types_.emplace(item, Nth(type->fields, index));
  if (const auto counts = counts_.find(tuple); counts != counts_.end()) SetCounts(item, Counts(counts->second));
  return item;
}

}  // namespace hone
