// Softmax as a kernel of its own: three passes over each line of its axis.
#pragma once

#include "compiler/generic/piece_loops.h"

namespace hone {

// The softmax that the output is, perhaps under elementwise operators, when its axis is whole and its data float32;
// else null.
const relay::Call* SoftmaxOf(const PieceOutput& output);

// One item per line along the softmax axis (per row of lines when lanes run beside it).
int64_t SoftmaxItems(const Piece& whole, const PieceOutput& output);
// Maximum; exponentials, kept in the output, and their sum; the quotients and what is fused behind them. The order of
// the sum depends on the extents alone.
void EmitSoftmax(Evaluator& e, const Piece& whole, const PieceOutput& output, Value* begin, Value* end);

}  // namespace hone
