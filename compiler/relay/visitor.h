// Walks over the graph. All are iterative: a chain of 1e6 nodes does not overflow the stack.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone::relay {

// Calls `visit` once per distinct node, after its children: a call's op comes before its arguments, a function's
// parameters before its body. Enters called functions.
void PostOrderVisit(const ExprPtr& root, const std::function<void(const ExprPtr&)>& visit);

// Rebuilds a graph bottom-up. `rewrite` gets each node of the function's body (called functions are leaves), with its
// children already replaced. It returns the replacement, or its argument to keep the node. Nodes whose children did not
// change are passed as they were. A rebuilt node keeps its former type. Shared nodes stay shared. `old` is the node
// before its children changed. A parameter of the root function that is replaced by another kind of node is removed
// from the parameters.
using Rewrite = std::function<ExprPtr(const ExprPtr& old, const ExprPtr& rebuilt)>;
ExprPtr RewritePostOrder(const ExprPtr& root, const Rewrite& rewrite);

// Number of uses of each node within `root`. A node used twice by one call counts two, root counts one, and the
// declaration as a parameter counts none.
std::unordered_map<const Expr*, int> CountUses(const ExprPtr& root);

}  // namespace hone::relay
