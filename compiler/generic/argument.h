// The arguments of operators that work element by element.
#pragma once

#include "compiler/generic/evaluator.h"

namespace hone {

// Argument `i` at the coordinates of the call's result, by numpy's broadcasting.
Value* Argument(Evaluator& e, const relay::Call& call, size_t i, const Coordinates& at, Lanes lanes);
// Whether argument `i` is of an unsigned dtype, bool among them.
bool IsUnsigned(const relay::Call& call, size_t i = 0);
bool IsFloat(Value* v);
// The number in every lane, of the value's type.
Value* Like(Value* v, double c);
// The value itself. Throws Error(kBadData) naming the operator when it is no float32.
Value* RequireFloat(Value* x, const relay::Call& call);

}  // namespace hone
