// Neighbouring axes of an expression that are one row of memory.
#pragma once

#include "compiler/generic/evaluator.h"
#include "compiler/relay/expr.h"

namespace hone {

// Whether loops may treat the axes [first, last] of the shape `whole` as one, for an expression broadcast to `whole`.
// They then ask for positions past the extent of `last`, with the other axes at 0. The expression must be elementwise
// on dense operands, each with one constant step from position to position. Slices, pads, parts of a split and the
// known field of a concatenation may shift all positions.
bool IsOneAxis(const Evaluator& e, const relay::ExprPtr& expr, const Shape& whole, size_t first, size_t last);

}  // namespace hone
