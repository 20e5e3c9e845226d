// Tensors whose elements lie in another order: what transposes and changes of layout are, once memory is looked at.
#pragma once

#include <optional>
#include <vector>

#include "compiler/relay/expr.h"
#include "core/artifact.h"

namespace hone {

// Positions along which source and result move evenly, in elements from one to the next.
struct PermutedAxis {
  int64_t extent = 1;
  int64_t from = 0, to = 0;
  bool from_batch = false, to_batch = false;  // the operand's batch stride says it instead
};

// Elements along either side of the squares that are transposed at a time: one line of a cache where they have four
// bytes.
inline constexpr int64_t kPermutedSide = 16;

// A box of the result. Its source is contiguous along `source`, itself along `result`: squares of these two are
// transposed in registers. Positions along `result` from `known` on have no source and are zero; a wider box than one
// square has none.
// Where either axis is short, the axis around it in the source (the result) makes up a square's side with it.
struct PermutedBox {
  std::vector<PermutedAxis> outer;
  PermutedAxis source, result;
  PermutedAxis around_source, around_result;  // of one position when the axis is not short
  int64_t known = 0;
  int64_t from = 0, to = 0;  // where the box begins, in elements
};

// The boxes of a function that only permutes its one parameter (transpose and layout_transform, one after the other) so
// that other elements become neighbours; nullopt for any other function, also for those that move whole rows, which
// need no transposing.
std::optional<std::vector<PermutedBox>> PermutationOf(const relay::Function& function);

}  // namespace hone
