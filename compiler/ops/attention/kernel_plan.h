// The plan of an attention kernel: the parts of its body, the tiles of both products, and the workspace.
#pragma once

#include <cstdint>

#include "compiler/relay/expr.h"
#include "compiler/schedules/matmul/matmul_shape.h"
#include "core/machine/target.h"
#include "core/workload.h"

namespace hone {

// The parts of an attention's body.
struct AttentionParts {
  // The function must have an AttentionOf (kernel.h).
  explicit AttentionParts(const relay::Function& function);

  const relay::Call* softmax;  // calls of the function
  relay::ExprPtr scores;       // product of queries and keys in the softmax's shape, perhaps reshaped
  int queries, keys, values;   // parameter numbers
  // Successive products that have the same keys, and the same values.
  int64_t products_per_keys = 1, products_per_values = 1;
  // Parameter with the number of keys of Attention::counts_keys; -1: all keys count.
  int key_count = -1;
};

// The register tiles and blocks of queries into which the kernel cuts its two products. Both products take the same
// rows at a time: a block's rows are scored, weighted and multiplied before the next block.
struct AttentionTiles {
  int64_t rows = 0;           // queries in a register tile
  int64_t block = 0;          // queries in a block of whole tiles
  int64_t score_columns = 0;  // keys in a panel
  int64_t value_columns = 0;
  int64_t unroll_scores = 1;  // reduction steps per inner iteration
  int64_t unroll_values = 1;
  bool matrix_tiles = false;  // both products use tile registers: rows and columns are two tiles wide, or rows one
};

// The tiles with the least time, by batch_matmul's estimates for products of one block. Tile registers are used if the
// machine has them, both products are of bfloat16, and queries are rows of whole steps.
AttentionTiles AttentionTilesFor(const Workload& scores, const Workload& values, const MachineModel& machine);

// The memory of an attention's worker. Members are offsets in bytes from its beginning.
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
