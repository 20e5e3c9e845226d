// The register tiles and blocks of queries into which an attention kernel cuts its two products.
#pragma once

#include "core/machine/target.h"
#include "core/workload.h"

namespace hone {

// Both products take the same rows at a time: a block's rows are scored, weighted and multiplied before the next block.
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

}  // namespace hone
