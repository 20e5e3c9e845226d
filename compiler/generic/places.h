// Vectors whose lanes are at positions of their own along an axis.
#pragma once

#include "compiler/generic/evaluator.h"

namespace hone {

// Whether Eval gives the expression's values at coordinates with `places`: elementwise operators and takes on row-major
// operands. Others would read neighbours instead.
bool TakesPlaces(const Evaluator& e, const relay::ExprPtr& expr);

// Whether to read lanes of the data so. For an operand alone it pays only where the machine has gathers. Lanes of a
// computed expression then share its arithmetic on every machine.
bool ReadsByPlaces(Evaluator& e, const relay::ExprPtr& data, Lanes lanes);

// The coordinate of an axis of `extent` positions, at which lane l has the integer that `indices` has at lane l of
// `at`. Positions outside are clamped as by SafeIndex. Throws Error(kBug) for indices that are not integers.
Coordinate PlacesAt(Evaluator& e, const relay::ExprPtr& indices, const Coordinates& at, Lanes lanes, int64_t extent);

}  // namespace hone
