// batch_matmul: products of two computed matrices, as in attention. Nothing can be packed ahead. A panel of the right
// matrix is read in place, or copied or transposed into the worker's workspace before its use.
#pragma once

#include <string>
#include <vector>

#include "compiler/schedules/schedule.h"

namespace hone {

struct BatchMatmulKnobs : KnobTable {
  using KnobTable::KnobTable;
  static std::vector<int64_t> Panels(const Workload& w, const MachineModel& machine);
  static std::vector<int64_t> TileRows(const Workload& w, const MachineModel& machine);
  static std::vector<int64_t> Packs(const Workload& w, const MachineModel& machine);

  // Output columns of a panel: one register tile's columns.
  int64_t oc_block = Row("oc_block", 8, {1, 512}, Panels);
  // Rows of one register tile.
  int64_t tile_m = Row("tile_m", 1, {1, 64}, TileRows);
  // Reduction steps per inner iteration.
  int64_t unroll_ic = Row("unroll_ic", 1, {1, 64}, Always<1, 2, 4, 8>);
  // 1: the panel goes to the workspace first; 0: it is read in place.
  int64_t pack = Row("pack", 1, {0, 1}, Packs);
  // 1: the lines of the output that a register tile writes are fetched while it computes.
  int64_t prefetch = Row("prefetch", 0, {0, 1}, Always<0, 1>);
};

// Emits the only stage. Its work item number is (product * panels + panel) * row tiles + tile.
void EmitBatchMatmul(KernelBuilder& builder, const Workload& workload, const BatchMatmulKnobs& knobs,
                     const Epilogue& epilogue, const std::string& symbol);

}  // namespace hone
