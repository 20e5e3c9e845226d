// How a kernel's output is cut into boxes that are each emitted as one loop nest.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "compiler/relay/expr.h"
#include "core/artifact.h"
#include "core/target.h"

namespace hone {

class Evaluator;

// A box of an output, by physical positions [low, high) per axis.
struct Piece {
  Shape low, high;
  int lanes = 1;       // of one vector
  int valid = 0;       // when not 0: of the one vector that a blocked lane axis has here, the lanes that are elements
  bool heavy = false;  // an element costs many steps
  bool interior = false;                                   // no window read here touches a border
  bool columns_inside = false;                             // nor one along the last axis, whatever it does along others
  bool in_line = false;                                    // the vectors of a row are few and stand in a straight line
  const relay::Expr* padded = nullptr;                     // an nn.pad within whose data the box lies
  std::vector<std::pair<const relay::Expr*, int>> fields;  // concatenation -> the field that the box lies in
};

// The boxes of an output, which is operand number `operand`: cut where a concatenation changes fields, around the
// borders of windows and of padded data, and before a last block that is not full. Together they cover it once. Axes
// whose elements follow one another in every operand that is read are one: the last of them goes on past its extent,
// the others stay at 0.
std::vector<Piece> PiecesOf(Evaluator& e, const relay::ExprPtr& output, int operand);

// The first call that is `wanted`, from the expression down through operators that keep coordinates as they are; or
// null.
const relay::Call* RootCall(const relay::ExprPtr& expr, const std::function<bool(const relay::Call&)>& wanted);

}  // namespace hone
