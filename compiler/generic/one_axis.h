// Axes of a tensor that loops may run over as one.
#pragma once

#include "compiler/generic/evaluator.h"

namespace hone {

// Whether an expression, broadcast to the shape `whole`, may be asked for the positions along the axes [first, last] of
// `whole` as if the last of them went on past its extent, the others at 0: its elements there depend on those of dense
// operands one by one, at one step from each to the next.
bool IsOneAxis(const Evaluator& e, const relay::ExprPtr& expr, const Shape& whole, size_t first, size_t last);

}  // namespace hone
