// A `take` whose lanes are at neighbouring places of a list of positions that is known when the kernel is compiled.
#pragma once

#include "compiler/generic/evaluator.h"

namespace hone {

// Whether the take's list is known and each of its positions is in [0, extent) of the axis.
bool HasPlainPositions(const relay::Call& take);

// The lanes of a take along the row-major axis that the lanes run along. It evaluates windows of neighbouring elements
// and permutes their lanes. Null if positions of neighbouring lanes are too far apart, or if the machine has no such
// instruction.
Value* TakenFromWindows(Evaluator& e, const relay::Call& take, const Coordinates& at, Lanes lanes);

}  // namespace hone
