// A `take` whose lanes stand at neighbouring places of a list of positions that is known when the kernel is made.
#pragma once

#include "compiler/generic/evaluator.h"

namespace hone {

// Whether the take's list is known, and each position in [0, extent) of its axis.
bool HasPlainPositions(const relay::Call& take);

// The lanes of a take along the row-major axis that the lanes run along: windows of neighbouring elements are
// evaluated, and their lanes permuted. Null where positions of neighbouring lanes lie too far apart for that, or the
// machine has no such instruction.
Value* TakenFromWindows(Evaluator& e, const relay::Call& take, const Coordinates& at, Lanes lanes);

}  // namespace hone
