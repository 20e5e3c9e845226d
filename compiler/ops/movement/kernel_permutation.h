// Tensors whose elements are reordered in memory, by transposes and changes of layout.
#pragma once

#include <optional>
#include <vector>

#include "compiler/relay/expr.h"
#include "core/artifact.h"

namespace hone {

// An axis along which source and result advance evenly, in elements per position.
struct PermutedAxis {
  int64_t extent = 1;
  int64_t from = 0, to = 0;
  bool from_batch = false, to_batch = false;  // the operand's batch stride replaces the step
};

// Elements along either side of the squares that are transposed at a time. It is one cache line for elements of four
// bytes.
inline constexpr int64_t kPermutedSide = 16;

// A box of the result. Its source is contiguous along `source`, the result along `result`. Squares of these two axes
// are transposed in registers:
//
//    memory of the source, `source` to the right     memory of the result, `result` to the right
//    [ a b c d ]                                     [ a e i m ]
//    [ e f g h ]          transposed                 [ b f j n ]
//    [ i j k l ]          ---------->                [ c g k o ]
//    [ m n o p ]                                     [ d h l p ]
//
// Positions along `result` from `known` on have no source and are zero; a box wider than one square has none. If either
// axis is short, the axis around it in the source (or the result) completes a square's side.
struct PermutedBox {
  std::vector<PermutedAxis> outer;
  PermutedAxis source, result;
  PermutedAxis around_source, around_result;  // one position each if the axis is not short
  int64_t known = 0;
  int64_t from = 0, to = 0;  // begin of the box, in elements
};

// The boxes of a function that only reorders its one parameter, by transposes and layout_transforms, so that other
// elements become neighbours. nullopt for any other function. Functions that move whole rows are among these; they need
// no transposing.
std::optional<std::vector<PermutedBox>> PermutationOf(const relay::Function& function);

}  // namespace hone
