#include "compiler/frontend/onnx/typed_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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
  const TypePtr type = TypeOf(expr);
  const Shape& shape = type->kind == TypeKind::kTuple ? type->fields.at(0)->shape : type->shape;
  for (size_t axis = 0; axis < counts.size(); ++axis) {
    ExprPtr& count = counts[axis];
    if (count == nullptr) continue;
    extents_.Narrow(count, {0, shape[axis]});
    const Extent form = extents_.FormOf(count);
    count = form.known() == shape[axis] ? nullptr : extents_.NumberOf(form);
  }
  if (std::all_of(counts.begin(), counts.end(), [](const ExprPtr& count) { return count == nullptr; })) return;
  counts_[expr] = std::move(counts);
}

ExprPtr TypedBuilder::ChosenCount(const ExprPtr& taken, const ExprPtr& count, const ExprPtr& other_taken,
                                  const ExprPtr& other) {
  ExprPtr& chosen = chosen_counts_[{taken, count, other_taken, other}];
  if (chosen == nullptr) chosen = OfNoNode("choose", {taken, count, other_taken, other});
  return chosen;
}

std::optional<int64_t> TypedBuilder::BoundOf(const ExprPtr& number) {
  if (IsFloat(DTypeOf(number)) || ElementCount(ShapeOf(number)) != 1 || AnyCounted(*this, {number}))
    return std::nullopt;
  const int64_t most = extents_.RangeOf(extents_.FormOf(number)).most;
  return most < Interval::kUnbounded ? std::optional(most) : std::nullopt;
}

void TypedBuilder::RequireCount(ExprPtr count, int64_t most) {
  if (taken_ != nullptr) count = OfNoNode("choose", {taken_, std::move(count), CountOf(1), CountOf(0)});
  const auto same = [&](const RequiredCount& each) { return each.count == count && each.most == most; };
  if (std::none_of(required_.begin(), required_.end(), same)) {
    required_.push_back({std::move(count), most, node_name_});
  }
}

void TypedBuilder::RequireEqual(const ExprPtr& a, const ExprPtr& b) {
  const Extent one = extents_.FormOf(a), other = extents_.FormOf(b);
  if (one == other) return;
  const auto difference = Sum(one, other, -1);
  const auto [least, most] = difference ? extents_.RangeOf(*difference) : Interval();
  if (least > 0 || most < 0) throw Error(ExitCode::kBadData, "two extents that must be equal differ in each run");
  RequireCount(difference ? extents_.NumberOf(*difference) : Uncounted("subtract", {a, b}), 0);
}

ExprPtr TypedBuilder::Uncounted(std::string_view op, std::vector<ExprPtr> args, relay::Attrs attrs) {
  ExprPtr expr = relay::MakeCall(op, std::move(args), std::move(attrs), node_name_);
  const TypePtr type = CheckedType(*relay::AsCall(expr));
  if (ExprPtr folded = Fold(*relay::AsCall(expr), type)) return folded;
  types_.emplace(expr, type);
  return expr;
}

ExprPtr TypedBuilder::OfNoNode(std::string_view op, std::vector<ExprPtr> args, relay::Attrs attrs) {
  std::string outer = std::exchange(node_name_, "extent");
  ExprPtr expr = Uncounted(op, std::move(args), std::move(attrs));
  node_name_ = std::move(outer);
  return expr;
}

ExprPtr TypedBuilder::Once(const std::string& key, const std::function<ExprPtr()>& make) {
  const auto known = once_.find(key);
  if (known != once_.end()) return known->second;
  ExprPtr made = make();
  once_.emplace(key, made);
  return made;
}

ExprPtr TypedBuilder::Unfolded(std::string_view op, std::vector<ExprPtr> args, relay::Attrs attrs) {
  if (AnyCounted(*this, args)) return Call(op, std::move(args), std::move(attrs));
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
    throw Error(ExitCode::kBug, "an item of a value that is no tuple");
  }
  ExprPtr item = relay::MakeTupleGetItem(tuple, index);
  types_.emplace(item, Nth(type->fields, index));
  if (const auto counts = counts_.find(tuple); counts != counts_.end()) SetCounts(item, Counts(counts->second));
  return item;
}

}  // namespace hone
