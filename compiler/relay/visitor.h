// Walks over the graph. All iterative: a chain of 1e6 nodes does not overflow the stack.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone::relay {

// Calls `visit` once per distinct node, after its children: a call's op comes before its arguments, a function's
// parameters before its body. Goes into functions that are called.
void PostOrderVisit(const ExprPtr& root, const std::function<void(const ExprPtr&)>& visit);

// Rebuilds a graph bottom-up: `rewrite` gets each node of the function's body (functions that are called are leaves)
// with its children already replaced and returns what takes its place; returning the argument keeps it. Nodes whose
// children did not change are passed as they were; a rebuilt node keeps the type that it had. Shared nodes stay shared.
// `old` is the node as it was before its children changed. A parameter of the root function that is replaced by another
// kind of node is no longer a parameter.
using Rewrite = std::function<ExprPtr(const ExprPtr& old, const ExprPtr& rebuilt)>;
ExprPtr RewritePostOrder(const ExprPtr& root, const Rewrite& rewrite);

// How many users each node has within `root` (a node used twice by one call counts twice; root counts one; being
// declared as a parameter counts none).
std::unordered_map<const Expr*, int> CountUses(const ExprPtr& root);

}  // namespace hone::relay
