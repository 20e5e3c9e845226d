// batch_matmul: products of two computed matrices, as in attention. Nothing can be packed ahead: a panel of the right
// one is read where it lies, or copied or transposed into the worker's workspace before the rows that use it.
#pragma once

#include "compiler/schedules/schedule.h"

namespace hone {

struct BatchMatmulConfig {
  int64_t oc_block = 8;   // output columns of a panel: one register tile's columns
  int64_t tile_m = 1;     // rows of one register tile
  int64_t unroll_ic = 1;  // reduction steps per inner iteration
  int64_t pack = 1;       // 1: the panel goes to the workspace first; 0: it is read in place
  int64_t prefetch = 0;   // 1: the lines of the output that a register tile writes are fetched while it computes

  static BatchMatmulConfig From(const Config& config);
};

const Schedule& BatchMatmul();

// The one stage, its work items (product * panels + panel) * row tiles + tile.
void EmitBatchMatmul(KernelBuilder& builder, const Workload& workload, const BatchMatmulConfig& knobs,
                     const std::string& symbol);

}  // namespace hone
