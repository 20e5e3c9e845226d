#include "compiler/passes/fusion/growth.h"

#include <algorithm>
#include <array>

#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/op.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;
using relay::OpPattern;

namespace {

bool IsHalf(DType dtype) { return dtype == DType::kFloat16 || dtype == DType::kBFloat16; }

// In larger groups registers spill and compile time grows, with nothing left to save.
constexpr size_t kMostMembers = 24;

// Whether a chain may hold values of the type. Besides floats these are truth values within a chain, so that a
// comparison and the choice by it are one kernel. Stored forms of floats are allowed too: 8-bit integers, their sums,
// float16 and bfloat16.
bool IsNumeric(const relay::TypePtr& type) {
  constexpr std::array kStored{DType::kBool,  DType::kUInt8,   DType::kInt8,
                               DType::kInt32, DType::kFloat16, DType::kBFloat16};
  return relay::IsFloatTensor(type) || (type->kind == relay::TypeKind::kTensor &&
                                        std::find(kStored.begin(), kStored.end(), type->dtype) != kStored.end());
}

}  // namespace

const relay::OpDef& OperatorOf(const ExprPtr& call) { return *relay::AsOp(relay::AsCall(call)->op)->def; }

bool IsFloatCall(const ExprPtr& expr) {
  const Call* call = relay::AsCall(expr);
  if (call == nullptr || !relay::IsFloatTensor(expr->type)) return false;
  return std::all_of(call->args.begin(), call->args.end(),
                     [](const ExprPtr& arg) { return relay::IsFloatTensor(arg->type); });
}

bool IsPointwise(const ExprPtr& expr) {
  const Call* call = relay::AsCall(expr);
  if (call == nullptr || !IsNumeric(expr->type)) return false;
  if (!std::all_of(call->args.begin(), call->args.end(), [](const ExprPtr& arg) { return IsNumeric(arg->type); }))
    return false;
  const OpPattern pattern = OperatorOf(expr).pattern;
  return pattern == OpPattern::kElementwise || pattern == OpPattern::kBroadcast;
}

bool IsCheap(const ExprPtr& expr) {
  const Call* cast = relay::AsCallTo(expr, "cast");
  const bool widens = cast != nullptr && expr->type->dtype == DType::kFloat32 && IsHalf(cast->args[0]->type->dtype);
  return IsPointwise(expr) && (OperatorOf(expr).traits.cheap || widens);
}

bool TakesKnownPlaces(const ExprPtr& expr) {
  constexpr int64_t kLargestTable = 4096;
  const Call* take = relay::AsCallTo(expr, "take");
  const relay::Constant* places = take == nullptr ? nullptr : relay::AsConstant(take->args[1]);
  return places != nullptr && places->value.dtype() == DType::kInt64 && places->value.elements() <= kLargestTable;
}

bool IsPointwiseOrTake(const ExprPtr& expr) {
  if (!TakesKnownPlaces(expr)) return IsPointwise(expr);
  const auto rank = static_cast<int64_t>(ShapeOf(expr).size());
  const int64_t axis = relay::AsCall(expr)->attrs.GetInt("axis");
  const bool one_axis = relay::AsConstant(relay::AsCall(expr)->args[1])->value.shape().size() == 1;
  return one_axis && IsNumeric(expr->type) && (rank != 4 || (axis + rank) % rank != 1);
}

bool IsSoftmax(const ExprPtr& expr) {
  return IsFloatCall(expr) && (OperatorOf(expr).name == "nn.softmax" || OperatorOf(expr).name == "nn.log_softmax");
}

bool Growth::IsOnlyUsedInside(const ExprPtr& expr) const {
  if (Has(expr) || grouping_.Has(expr) || members_.size() >= kMostMembers || expr == users_.result) return false;
  const std::vector<ExprPtr>& by = users_.users.at(expr.get());
  return std::all_of(by.begin(), by.end(), [&](const ExprPtr& user) { return Has(user); });
}

bool Growth::CanTake(const ExprPtr& expr) const {
  return ShapeOf(expr) == ShapeOf(members_[0]) && IsOnlyUsedInside(expr);
}

void Growth::Take(const ExprPtr& expr) {
  members_.push_back(expr);
  inside_.insert(expr.get());
}

ExprPtr Growth::Next(const MayJoin& may_join) const {
  for (const ExprPtr& member : members_) {
    for (const ExprPtr& arg : relay::AsCall(member)->args) {
      if (may_join(arg)) return arg;
    }
  }
  return nullptr;
}

void Growth::TakeAll(const MayJoin& may_join) {
  const MayJoin next = [&](const ExprPtr& arg) { return may_join(arg) && CanTake(arg); };
  while (const ExprPtr arg = Next(next)) Take(arg);
}

void Growth::TakeAllSizes(const MayJoin& may_join) {
  const MayJoin next = [&](const ExprPtr& arg) { return may_join(arg) && IsOnlyUsedInside(arg); };
  while (const ExprPtr arg = Next(next)) Take(arg);
}

FuseGroup Growth::InPostOrder() const {
  FuseGroup group{members_, nullptr};
  std::sort(group.members.begin(), group.members.end(), [&](const ExprPtr& a, const ExprPtr& b) {
    return users_.position.at(a.get()) < users_.position.at(b.get());
  });
  return group;
}

}  // namespace hone
