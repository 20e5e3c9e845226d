#include <algorithm>
#include <array>
#include <unordered_set>

#include "compiler/passes/fusion/fuse.h"
#include "compiler/passes/graph/transposes.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/op.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;
using relay::OpPattern;

namespace {

// Beyond it registers spill and compile time grows, with nothing left to save.
constexpr size_t kMostMembers = 24;

const relay::OpDef& DefOf(const ExprPtr& call) { return *relay::AsOp(relay::AsCall(call)->op)->def; }

bool IsFloatCall(const ExprPtr& expr) {
  const Call* call = relay::AsCall(expr);
  if (call == nullptr || !relay::IsFloatTensor(expr->type)) return false;
  return std::all_of(call->args.begin(), call->args.end(),
                     [](const ExprPtr& arg) { return relay::IsFloatTensor(arg->type); });
}

// Besides floats: truth values, made and used up within a chain (a comparison and what chooses by it are one kernel),
// and what floats are stored as, 8-bit integers and their sums and bfloat16.
bool IsNumeric(const relay::TypePtr& type) {
  constexpr std::array kStored{DType::kBool, DType::kUInt8, DType::kInt8, DType::kInt32, DType::kBFloat16};
  return relay::IsFloatTensor(type) || (type->kind == relay::TypeKind::kTensor &&
                                        std::find(kStored.begin(), kStored.end(), type->dtype) != kStored.end());
}

bool IsPointwise(const ExprPtr& expr) {
  const Call* call = relay::AsCall(expr);
  if (call == nullptr || !IsNumeric(expr->type)) return false;
  if (!std::all_of(call->args.begin(), call->args.end(), [](const ExprPtr& arg) { return IsNumeric(arg->type); }))
    return false;
  const OpPattern pattern = DefOf(expr).pattern;
  return pattern == OpPattern::kElementwise || pattern == OpPattern::kBroadcast;
}

// A transpose that brings other elements together is faster alone, as squares in registers.
bool MovesLastAxis(const ExprPtr& expr) {
  const Call* transpose = relay::AsCallTo(expr, "transpose");
  return transpose != nullptr && TransposeAxes(*transpose).back() + 1 != static_cast<int64_t>(ShapeOf(expr).size());
}

// May begin a chain.
bool IsHead(const ExprPtr& expr) { return IsFloatCall(expr) && DefOf(expr).traits.heads && !MovesLastAxis(expr); }

// A softmax asks for each element of its input twice, so only what costs little is computed on the way.
bool IsCheap(const ExprPtr& expr) { return IsPointwise(expr) && DefOf(expr).traits.cheap; }

bool IsSoftmax(const ExprPtr& expr) {
  return IsFloatCall(expr) && (DefOf(expr).name == "nn.softmax" || DefOf(expr).name == "nn.log_softmax");
}

struct Growth {
  const UserMap& users;
  const Grouping& grouping;
  std::vector<ExprPtr> members;  // result first
  std::unordered_set<const relay::Expr*> inside;

  // What only the group uses, and is as large as the group's result (else it would be computed many times).
  bool CanTake(const ExprPtr& expr) const {
    if (inside.contains(expr.get()) || grouping.Has(expr) || members.size() >= kMostMembers) return false;
    if (expr == users.result || ShapeOf(expr) != ShapeOf(members[0])) return false;
    const std::vector<ExprPtr>& by = users.users.at(expr.get());
    return std::all_of(by.begin(), by.end(), [&](const ExprPtr& user) { return inside.contains(user.get()); });
  }
  void Take(const ExprPtr& expr) {
    members.push_back(expr);
    inside.insert(expr.get());
  }
};

// One more argument of a member, or null when nothing can be taken.
ExprPtr NextMember(const Growth& growth, bool (*may_join)(const ExprPtr&)) {
  for (const ExprPtr& member : growth.members) {
    for (const ExprPtr& arg : relay::AsCall(member)->args) {
      if (may_join(arg) && growth.CanTake(arg)) return arg;
    }
  }
  return nullptr;
}

void TakeAll(Growth& growth, bool (*may_join)(const ExprPtr&)) {
  for (ExprPtr next = NextMember(growth, may_join); next != nullptr; next = NextMember(growth, may_join)) {
    growth.Take(next);
  }
}

// The argument that a chain hangs from: null unless every member has at most one argument inside and one path leads
// through.
ExprPtr HeadOfChain(const Growth& growth) {
  ExprPtr last = growth.members[0];
  for (size_t passed = 1;; ++passed) {
    ExprPtr next, head;
    for (const ExprPtr& arg : relay::AsCall(last)->args) {
      if (growth.inside.contains(arg.get())) {
        if (next != nullptr) return nullptr;
        next = arg;
      } else if (IsHead(arg) && growth.CanTake(arg)) {
        head = arg;
      }
    }
    if (next == nullptr) return passed == growth.members.size() ? head : nullptr;
    last = next;
  }
}

// Floats made of bytes as they are read: of what a head reads, the cast and the subtraction of a zero point. Or made of
// bfloat16, by the cast.
void TakeDecoding(Growth& growth) {
  const ExprPtr head = growth.members.back();
  if (!IsHead(head)) return;
  std::vector<ExprPtr> steps{relay::AsCall(head)->args[0]};
  if (const Call* subtract = relay::AsCallTo(steps[0], "subtract")) {
    if (relay::AsConstant(subtract->args[1]) == nullptr) return;
    steps.push_back(subtract->args[0]);
  }
  const Call* cast = relay::AsCallTo(steps.back(), "cast");
  if (cast == nullptr) return;
  const DType stored = cast->args[0]->type->dtype;
  if (stored != DType::kUInt8 && stored != DType::kBFloat16) return;
  for (const ExprPtr& step : steps) {
    if (growth.grouping.Has(step) || growth.users.OnlyUser(step) == nullptr) return;
  }
  for (const ExprPtr& step : steps) growth.Take(step);
}

FuseGroup InPostOrder(const UserMap& users, const Growth& growth) {
  FuseGroup group{growth.members, nullptr};
  std::sort(group.members.begin(), group.members.end(), [&](const ExprPtr& a, const ExprPtr& b) {
    return users.position.at(a.get()) < users.position.at(b.get());
  });
  return group;
}

}  // namespace

void GroupGeneric(const UserMap& users, bool with_neighbours, Grouping& grouping) {
  for (auto it = users.order.rbegin(); it != users.order.rend(); ++it) {
    if (relay::AsCall(*it) == nullptr || grouping.Has(*it)) continue;
    Growth growth{users, grouping, {}, {}};
    growth.Take(*it);
    if (with_neighbours && IsSoftmax(*it)) TakeAll(growth, IsCheap);
    if (with_neighbours && IsPointwise(*it)) {
      TakeAll(growth, IsPointwise);
      const ExprPtr head = HeadOfChain(growth);
      if (head != nullptr) growth.Take(head);
    }
    if (with_neighbours) TakeDecoding(growth);
    grouping.Add(InPostOrder(users, growth));
  }
}

}  // namespace hone
