// Pass: what depends on constants alone is computed once, by the operators' references.
#pragma once

#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/expr.h"

namespace hone {

// The rule: a call of an operator on constants alone becomes its value (a tuple of values for several results), as does
// shape_of of a shape that is known, and an item of a tuple becomes the field. Results of more than 1 GiB are left
// alone.
relay::ExprPtr FoldConstant(const relay::ExprPtr& node);

// At opt_level 0 only integers (shape arithmetic) are folded: without them nothing could be lowered.
relay::IRModule FoldConstants(const relay::IRModule& module, int opt_level);

}  // namespace hone
