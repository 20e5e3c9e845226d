// Softmax as a kernel of its own, with three passes over each line of its axis:
//
//    for line:
//      largest = max x
//      for vector: output = exp(x - largest), sum += output
//      for vector: output = f(output / sum)                     f: fused elementwise operators
#pragma once

#include "compiler/generic/piece_loops.h"

namespace hone {

// The softmax that computes the output, perhaps under elementwise operators, if its axis is whole and its data float32;
// else null.
const relay::Call* SoftmaxOf(const PieceOutput& output);

// One item per line along the softmax axis, or per row of lines if lanes run across lines.
std::vector<StageAxis> SoftmaxItems(const Piece& whole, const PieceOutput& output);
// Emits the maximum, then the exponentials (kept in the output) and their sum, then the quotients with the operators
// fused behind them. The order of the sum depends only on the extents.
void EmitSoftmax(Evaluator& e, const Piece& whole, const PieceOutput& output, Value* begin, Value* end);

}  // namespace hone
