// The memory layout of an attention's worker.
#pragma once

#include <cstdint>

#include "compiler/ops/attention/kernel_tiles.h"
#include "compiler/schedules/matmul/matmul_shape.h"

namespace hone {

// Members are offsets in bytes from the memory's beginning.
//
//    | packed keys | packed values | scores: block rows of score_row bytes | inverse: one number per query | sums |
//
// A row of scores is an odd number of cache lines long. The rows of a tile, which are read together, then lie in
// different sets of the first cache. Weights overwrite the scores; weights of bfloat16 take half the room, from the
// row's beginning on. Two bfloat16 that are neighbours along a sum are packed together and form one step. `sums` holds
// a tile of outputs stored from tile registers; without them it is empty.
struct AttentionWorkspace {
  // Bytes of every element, and of every pair of bfloat16.
  static constexpr int64_t kBytes = 4;

  AttentionWorkspace(const MatmulShape& scores, const MatmulShape& values, const AttentionTiles& tiles,
                     const MachineModel& machine);

  int64_t score_row;    // bytes
  int64_t value_steps;  // steps of the sum over all keys, including those past the last key that tile registers take
  int64_t values, scores, inverse, sums, end;
};

}  // namespace hone
