// The arguments of elementwise operators.
#pragma once

#include "compiler/generic/evaluator.h"

namespace hone {

// Argument `i` at the coordinates of the call's result, broadcast by numpy's rules.
Value* Argument(Evaluator& e, const relay::Call& call, size_t i, const Coordinates& at, Lanes lanes);
// LLVM's binary operator on both arguments, lane by lane.
template <llvm::Instruction::BinaryOps kOp>
Value* Combine(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  Value *x = Argument(e, call, 0, at, lanes), *y = Argument(e, call, 1, at, lanes);
  return e.b().ir().CreateBinOp(kOp, x, y);
}
// Whether argument `i` has an unsigned dtype; bool counts as unsigned.
bool IsUnsigned(const relay::Call& call, size_t i = 0);
bool IsFloat(Value* v);
// The number in every lane, with the type of `v`.
Value* Like(Value* v, double c);
// The value itself. Throws Error(kBadData) naming the operator if it is not float32.
Value* RequireFloat(Value* x, const relay::Call& call);

}  // namespace hone
