// Pass: values that depend only on constants are computed once, by the operators' references.
#pragma once

#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/expr.h"

namespace hone {

// The rule: a call of an operator on constants becomes its value (a tuple of values for several results). So does
// shape_of of a known shape. An item of a tuple becomes the field. Results of more than 1 GiB stay unfolded.
relay::ExprPtr FoldConstant(const relay::ExprPtr& node);

// The result of FoldConstant, or the expression itself if there is none.
relay::ExprPtr FoldedIfConstant(const relay::ExprPtr& expr);

// opt_level 0 folds only integers (shape arithmetic), without which nothing could be lowered.
relay::IRModule FoldConstants(const relay::IRModule& module, int opt_level);

}  // namespace hone
