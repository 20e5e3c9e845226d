// A group of elementwise operators takes the statistics of lines that it reads, so that a normalisation is one kernel.
//
//    x -> mean -> subtract -> square -> mean -> add -> sqrt -> divide -> scale and shift
//    becomes one function, whose kernel reads each line of x while it is in the first cache
#pragma once

#include "compiler/passes/fusion/growth.h"

namespace hone {

// The group is elementwise operators of one shape. It takes reductions over one set of axes, values computed from them,
// and cheap elementwise operators that they reduce (generic/line_statistics.h). Returns false and leaves the group as
// it was if there is no such reduction. Too few lines for the threads have the same effect, and so do lines that would
// not stay in the first cache between passes.
bool TakeLines(Growth& growth, int64_t threads);

}  // namespace hone
