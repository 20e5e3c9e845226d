// Pass: groups of operators that one kernel computes become calls of primitive functions.
#pragma once

#include <limits>
#include <unordered_map>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

// One group: operators that one kernel computes.
struct FuseGroup {
  std::vector<relay::ExprPtr> members;  // calls, in post order; only the last is seen from outside
  // The member that schedules compute, or null. Each use of an operand is a parameter of its own then: data, weight,
  // ...
  relay::ExprPtr anchor;
  // The member that multiplies queries and keys where the group is an attention, else null.
  relay::ExprPtr scores = nullptr;
};

// Who uses what in a graph; `order` is PostOrder of the body.
struct UserMap {
  explicit UserMap(const std::vector<relay::ExprPtr>& post_order, const relay::ExprPtr& root);
  // The one user of the node when it has one and is not the result, else null.
  relay::ExprPtr OnlyUser(const relay::ExprPtr& node) const;

  std::vector<relay::ExprPtr> order;
  relay::ExprPtr result;
  std::unordered_map<const relay::Expr*, size_t> position;                    // in order
  std::unordered_map<const relay::Expr*, std::vector<relay::ExprPtr>> users;  // one entry per use
};

// The groups so far: each call in at most one.
class Grouping {
 public:
  bool Has(const relay::ExprPtr& call) const { return group_of_.contains(call.get()); }
  void Add(FuseGroup group);
  // The group whose last member the call is, or null.
  const FuseGroup* EndingAt(const relay::ExprPtr& call) const;

 private:
  std::vector<FuseGroup> groups_;
  std::unordered_map<const relay::Expr*, size_t> group_of_;
};

// An attention whose scores take at least so many bytes: a softmax between two products, with cheap elementwise
// operators and reshapes in between and transposes around, where nobody else reads what lies between
// (generic/attention.h).
void GroupAttention(const UserMap& users, int64_t least_bytes, Grouping& grouping);
// An anchor takes what an Epilogue can hold, each step only when nobody else uses the value before it: nn.bias_add of a
// constant, then the addition of a tensor of the same shape, then an activation. Where both sides of an addition are
// anchors the later in post order takes it, so that the other is ready.
void GroupAnchors(const UserMap& users, bool with_epilogues, Grouping& grouping);
struct FuseOptions {
  bool groups = true;                                                // false: each function holds one operator
  int64_t least_scores_bytes = std::numeric_limits<int64_t>::max();  // of an attention that is one kernel
  int64_t threads = 1;                                               // that share a kernel's work
};

// The rest, from the results backwards: elementwise and broadcasting operators of one element count with one result,
// the takes of known places that they read through, and the statistics of lines that they read (line_growth.h); or one
// pool, reduction, pad or transpose followed by a chain of them. Everything else stays alone.
void GroupGeneric(const UserMap& users, const FuseOptions& options, Grouping& grouping);

// Afterwards every call in main is of a Function with attribute Primitive=1, which has an Anchor as its note where it
// holds one (graph/anchor.h), or an Attention. In a module with `round` in it "rounds"=1 says that products are not to
// be fused with sums.
relay::IRModule Fuse(const relay::IRModule& module, const FuseOptions& options = {});

}  // namespace hone
