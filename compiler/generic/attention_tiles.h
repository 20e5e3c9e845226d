// How an attention kernel cuts its two products into register tiles and blocks of queries.
#pragma once

#include "core/target.h"
#include "core/workload.h"

namespace hone {

// Both products take the same rows at a time: those of a block are scored, weighed and multiplied before the next.
struct AttentionTiles {
  int64_t rows = 0;           // queries of a register tile
  int64_t block = 0;          // queries of a block, whole tiles
  int64_t score_columns = 0;  // keys of a panel
  int64_t value_columns = 0;
  int64_t unroll_scores = 1;  // steps of the reduction per inner iteration
  int64_t unroll_values = 1;
  bool matrix_tiles = false;  // both products are of tile registers: rows and columns are two of them, or one of rows
};

// The least time by the estimates of the schedule batch_matmul for products of one block. Tile registers where the
// machine has them and both products are of bfloat16, queries of whole steps that lie along a row.
AttentionTiles AttentionTilesFor(const Workload& scores, const Workload& values, const MachineModel& machine);

}  // namespace hone
