#include "compiler/passes/anchor.h"
#include "compiler/passes/fuse.h"
#include "compiler/passes/typed_graph.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

// The one user of the group's value so far, when no group has it yet.
ExprPtr NextStep(const UserMap& users, const Grouping& grouping, const FuseGroup& group) {
  const ExprPtr next = users.OnlyUser(group.members.back());
  return next != nullptr && !grouping.Has(next) && relay::AsCall(next) != nullptr ? next : nullptr;
}

bool TakeBias(const ExprPtr& step, FuseGroup& group) {
  const Call* add = relay::AsCallTo(step, "nn.bias_add");
  if (add == nullptr || add->args[0] != group.members.back() || relay::AsConstant(add->args[1]) == nullptr)
    return false;
  const int64_t axis = add->attrs.GetInt("axis", 1);
  if (axis != 1 && axis + static_cast<int64_t>(ShapeOf(step).size()) != 1) return false;
  group.members.push_back(step);
  return true;
}

// A sum of the value with itself has two uses, so the other side never depends on the anchor.
bool TakeResidual(const ExprPtr& step, FuseGroup& group) {
  const Call* add = relay::AsCallTo(step, "add");
  if (add == nullptr) return false;
  const ExprPtr& other = add->args[0] == group.members.back() ? add->args[1] : add->args[0];
  if (ShapeOf(other) != ShapeOf(group.members.back()) || relay::AsConstant(other) != nullptr) return false;
  group.members.push_back(step);
  return true;
}

void TakeEpilogue(const UserMap& users, const Grouping& grouping, FuseGroup& group) {
  ExprPtr next = NextStep(users, grouping, group);
  if (next != nullptr && TakeBias(next, group)) next = NextStep(users, grouping, group);
  if (next != nullptr && TakeResidual(next, group)) next = NextStep(users, grouping, group);
  Epilogue unused;
  if (next != nullptr && SetActivation(next, unused)) group.members.push_back(next);
}

}  // namespace

void GroupAnchors(const UserMap& users, bool with_epilogues, Grouping& grouping) {
  for (auto it = users.order.rbegin(); it != users.order.rend(); ++it) {
    if (AsAnchor(*it) == nullptr) continue;
    FuseGroup group{{*it}, true};
    if (with_epilogues) TakeEpilogue(users, grouping, group);
    grouping.Add(std::move(group));
  }
}

}  // namespace hone
