// A group of operators that grows from its result towards what it reads.
#pragma once

#include <functional>
#include <unordered_set>
#include <vector>

#include "compiler/passes/fusion/fuse.h"

namespace hone {

// A call of an operator that reads and gives float tensors alone.
bool IsFloatCall(const relay::ExprPtr& expr);
// An elementwise or broadcasting call of what a chain may compute.
bool IsPointwise(const relay::ExprPtr& expr);
// A softmax asks for each element of its input twice, so only what costs little is computed on the way.
bool IsCheap(const relay::ExprPtr& expr);
// A take whose positions are known, and few enough to be a part of the kernel.
bool TakesKnownPlaces(const relay::ExprPtr& expr);
// Pointwise, or a take of known places, the channels of images aside: those are chosen in layouts of their own.
bool IsPointwiseOrTake(const relay::ExprPtr& expr);
// nn.softmax or nn.log_softmax.
bool IsSoftmax(const relay::ExprPtr& expr);
// Of a call of an operator.
const relay::OpDef& OperatorOf(const relay::ExprPtr& call);

class Growth {
 public:
  Growth(const UserMap& users, const Grouping& grouping, const relay::ExprPtr& result)
      : users_(users), grouping_(grouping) {
    Take(result);
  }

  using MayJoin = std::function<bool(const relay::ExprPtr&)>;

  // Whether nobody but the group uses it, and it is as large as the group's result (else it would be computed many
  // times).
  bool CanTake(const relay::ExprPtr& expr) const;
  void Take(const relay::ExprPtr& expr);
  // Arguments of members, and theirs, for as long as there is one that may join and can be taken.
  void TakeAll(const MayJoin& may_join);
  // As TakeAll, for values of any size.
  void TakeAllSizes(const MayJoin& may_join);

  bool Has(const relay::ExprPtr& expr) const { return inside_.contains(expr.get()); }
  // The result first.
  const std::vector<relay::ExprPtr>& members() const { return members_; }
  const UserMap& users() const { return users_; }
  const Grouping& grouping() const { return grouping_; }
  // Without an anchor.
  FuseGroup InPostOrder() const;

 private:
  bool IsOnlyUsedInside(const relay::ExprPtr& expr) const;
  // One more argument of a member, or null when none may join.
  relay::ExprPtr Next(const MayJoin& may_join) const;

  const UserMap& users_;
  const Grouping& grouping_;
  std::vector<relay::ExprPtr> members_;
  std::unordered_set<const relay::Expr*> inside_;
};

}  // namespace hone
