// Cuts a kernel's output into boxes, each of which is emitted as one loop nest.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "compiler/generic/memory_shape.h"
#include "compiler/relay/expr.h"
#include "core/artifact.h"
#include "core/machine/target.h"

namespace hone {

class Evaluator;

// A box of an output: physical positions [low, high) per axis.
struct Piece {
  Shape low, high;
  int lanes = 1;          // lanes of one vector
  int valid = 0;          // if not 0, the number of lanes that are elements in the only vector of a blocked lane axis
  bool heavy = false;     // an element costs many steps
  bool interior = false;  // no window read here touches a border
  bool columns_inside = false;          // none crosses one along the last axis; other axes may be crossed
  bool in_line = false;                 // the few vectors of a row are emitted without a loop
  const relay::Expr* padded = nullptr;  // an nn.pad for which the box lies within its data
  std::vector<std::pair<const relay::Expr*, int>> fields;  // by concatenation, the field that contains the box
};

// The boxes of an output, which is operand number `operand`. They are cut where a concatenation changes fields, and
// around the borders of windows and of padded data. A last block that is not full is a box too. Together they cover the
// output once:
//
//    a pool with padding      +---+---------------+---+
//                             |   |               |   |
//                             +---+---------------+---+
//                             |   |   interior    |   |      interior: no tap is clipped
//                             +---+---------------+---+
//                             |   |               |   |
//                             +---+---------------+---+
//
// Axes whose elements are contiguous in every operand become one. The last of them then holds their positions in
// row-major order, and the others stay at 0. An axis that runs may end is the outermost of them. `shape` is the
// operand's.
std::vector<Piece> PiecesOf(Evaluator& e, const relay::ExprPtr& output, int operand, const MemoryShape& shape);

// The first `wanted` call, from the expression down through operators that keep coordinates as they are; else null.
const relay::Call* RootCall(const relay::ExprPtr& expr, const std::function<bool(const relay::Call&)>& wanted);

}  // namespace hone
