// How the memory of an attention's worker is laid out.
#pragma once

#include <cstdint>

#include "compiler/generic/attention_tiles.h"
#include "compiler/schedules/matmul_shape.h"

namespace hone {

// Places are bytes from the memory's beginning.
//
//   | packed keys | packed values | scores: block rows of score_row bytes | inverse: one number per query | sums |
//
// A row of scores is an odd number of lines long: the rows of a tile, read together, then lie in different sets of the
// first cache. Weights take the scores' places; those of bfloat16 take half the room, from the row's beginning on. Two
// neighbours along a sum of bfloat16 are packed together and are one step. `sums` is a tile of outputs on its way out
// of tile registers, without which it is empty.
struct AttentionWorkspace {
  // Every element, and every pair of bfloat16.
  static constexpr int64_t kBytes = 4;

  AttentionWorkspace(const MatmulShape& scores, const MatmulShape& values, const AttentionTiles& tiles,
                     const MachineModel& machine);

  int64_t score_row;    // bytes
  int64_t value_steps;  // of the sum over all keys, those past the last one counted where tile registers take them
  int64_t values, scores, inverse, sums, end;
};

}  // namespace hone
