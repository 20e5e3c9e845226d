// Pass: operators that one kernel computes become one primitive function.
//
//    conv2d -> bias_add -> relu -> max_pool2d
//    becomes
//    call {conv2d -> bias_add -> relu} -> call {max_pool2d}
#pragma once

#include <limits>
#include <unordered_map>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

// One group: operators that one kernel computes.
struct FuseGroup {
  std::vector<relay::ExprPtr> members;  // calls, in post order; only the last one's value has users outside
  // The member that schedules compute, or null. With an anchor, each use of an operand is a parameter of its own: data,
  // weight, ...
  relay::ExprPtr anchor;
  // In an attention, the member that multiplies queries and keys; else null.
  relay::ExprPtr scores = nullptr;
  // Whether the members of an attention mask its scores from a number of keys on that is known in a run.
  bool counts_keys = false;
  // In an attention, the member where(w != w, 0, w) that puts zeros for NaN weights; null: none does.
  relay::ExprPtr nan_guard = nullptr;
};

// The users of each node of a graph; `order` is PostOrder of the body.
struct UserMap {
  explicit UserMap(const std::vector<relay::ExprPtr>& post_order, const relay::ExprPtr& root);
  // The node's only user; null if there are several, or if the node is the result.
  relay::ExprPtr OnlyUser(const relay::ExprPtr& node) const;

  std::vector<relay::ExprPtr> order;
  relay::ExprPtr result;
  std::unordered_map<const relay::Expr*, size_t> position;                    // in order
  std::unordered_map<const relay::Expr*, std::vector<relay::ExprPtr>> users;  // one entry per use
};

// The groups so far; a call is in at most one.
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

// Groups attentions whose scores take at least `least_bytes` (ops/attention/kernel.h). An attention is a softmax
// between two products. Cheap elementwise operators and reshapes may lie in between, and transposes around. Nothing
// else reads the values in between.
void GroupAttention(const UserMap& users, int64_t least_bytes, Grouping& grouping);
// An anchor takes the steps that an Epilogue can hold, each only if nothing else uses the value before it. They are
// nn.bias_add of a constant, then the addition of a tensor of the same shape, then an activation. If both operands of
// an addition are anchors, the later one in post order takes it, so that the other one is ready.
void GroupAnchors(const UserMap& users, bool with_epilogues, Grouping& grouping);

// The transposes next to a product of two computed matrices become its operands' layouts. This is the one through which
// the nn.batch_matmul may read its `argument`: it has no other user and no group. Vectors run along the last axis,
// which must not be B. Data whose neighbours along K are multiplied together must have K last. Null if there is none.
relay::ExprPtr TransposeReadBy(const UserMap& users, const Grouping& grouping, const relay::ExprPtr& matmul,
                               size_t argument);
// The transpose through which a product may write `value`, BMN in the order MBN: the value's only user, in no group.
// Null if there is none.
relay::ExprPtr TransposeBehind(const UserMap& users, const Grouping& grouping, const relay::ExprPtr& value);

struct FuseOptions {
  bool groups = true;                                                // false: each function holds one operator
  int64_t least_scores_bytes = std::numeric_limits<int64_t>::max();  // of an attention in one kernel
  int64_t threads = 1;                                               // number of threads that share a kernel's work
};

// Groups the remaining calls, from the results backwards. Elementwise and broadcasting operators of one element count
// form a group with one result. It includes the takes of known positions that they read through, and the statistics of
// lines that they read (generic_groups.cc). Another kind of group is one pool, reduction, pad or transpose followed by
// a chain of elementwise operators. Every other call is a group of its own.
void GroupGeneric(const UserMap& users, const FuseOptions& options, Grouping& grouping);

// Afterwards every call in main is of a Function with attribute Primitive=1. Its note is an Anchor (graph/anchor.h) if
// it holds one, or an Attention. If the module has a `round`, the attribute "rounds"=1 forbids fusing products with
// sums.
relay::IRModule Fuse(const relay::IRModule& module, const FuseOptions& options = {});

}  // namespace hone
