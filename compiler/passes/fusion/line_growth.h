// A group of elementwise work takes the statistics of lines that it reads: normalisations become one kernel.
#pragma once

#include "compiler/passes/fusion/growth.h"

namespace hone {

// The group is elementwise operators of one shape. It takes reductions over one set of axes, what is computed of them,
// and cheap elementwise operators that they reduce (generic/line_statistics.h). False, and the group as it was, where
// there is no such reduction, or its lines are too few for the threads or too long for the first cache to hold twice.
bool TakeLines(Growth& growth, int64_t threads);

}  // namespace hone
