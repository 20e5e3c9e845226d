// A group of operators that grows from its result towards what it reads.
#pragma once

#include <functional>
#include <unordered_set>
#include <vector>

#include "compiler/passes/fusion/fuse.h"

namespace hone {

// Whether it is a call of an operator whose operands and result are all float tensors.
bool IsFloatCall(const relay::ExprPtr& expr);
// Whether it is an elementwise or broadcasting call of types that a chain may compute.
bool IsPointwise(const relay::ExprPtr& expr);
// Whether it costs little. A softmax asks for each element of its input twice, so it takes only such calls.
bool IsCheap(const relay::ExprPtr& expr);
// Whether it is a take with known positions, few enough to be part of the kernel.
bool TakesKnownPlaces(const relay::ExprPtr& expr);
// Whether it is pointwise or a take of known positions. Takes of images' channels are excluded: they choose their own
// layouts.
bool IsPointwiseOrTake(const relay::ExprPtr& expr);
// nn.softmax or nn.log_softmax.
bool IsSoftmax(const relay::ExprPtr& expr);
// The operator of a call.
const relay::OpDef& OperatorOf(const relay::ExprPtr& call);

class Growth {
 public:
  Growth(const UserMap& users, const Grouping& grouping, const relay::ExprPtr& result)
      : users_(users), grouping_(grouping) {
    Take(result);
  }

  using MayJoin = std::function<bool(const relay::ExprPtr&)>;

  // Whether only the group uses it, and it is as large as the group's result: elements of a smaller one would be
  // computed many times.
  bool CanTake(const relay::ExprPtr& expr) const;
  // Whether only the group uses it, whatever its size.
  bool IsOnlyUsedInside(const relay::ExprPtr& expr) const;
  void Take(const relay::ExprPtr& expr);
  // Takes arguments of members, and theirs in turn, as long as one may join and can be taken.
  void TakeAll(const MayJoin& may_join);
  // As TakeAll, for values of any size.
  void TakeAllSizes(const MayJoin& may_join);

  bool Has(const relay::ExprPtr& expr) const { return inside_.contains(expr.get()); }
  // The members, the result first.
  const std::vector<relay::ExprPtr>& members() const { return members_; }
  const UserMap& users() const { return users_; }
  const Grouping& grouping() const { return grouping_; }
  // The group without an anchor.
  FuseGroup InPostOrder() const;

 private:
  // An argument of a member that may join, or null.
  relay::ExprPtr Next(const MayJoin& may_join) const;

  const UserMap& users_;
  const Grouping& grouping_;
  std::vector<relay::ExprPtr> members_;
  std::unordered_set<const relay::Expr*> inside_;
};

}  // namespace hone
