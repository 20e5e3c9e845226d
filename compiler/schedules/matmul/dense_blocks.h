// The knobs of dense_blocks, and its emitter.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/codegen/kernel_builder.h"
#include "compiler/schedules/knob_table.h"
#include "core/workload.h"

namespace hone {

struct DenseBlocksKnobs : KnobTable {
  using KnobTable::KnobTable;
  static std::vector<int64_t> Panels(const Workload& w, const MachineModel& machine);
  static std::vector<int64_t> TileRows(const Workload& w, const MachineModel& machine);
  static std::vector<int64_t> Unpacked(const Workload& w, const MachineModel& machine);

  // Output columns of a packed panel of weights: one register tile's columns.
  int64_t oc_block = Row("oc_block", 8, {1, 512}, Panels);
  // Rows of one register tile.
  int64_t tile_m = Row("tile_m", 1, {1, 64}, TileRows);
  // Words per inner iteration; of an unpacked panel, steps of the reduction.
  int64_t unroll_ic = Row("unroll_ic", 1, {1, 16}, Always<1, 2>);
  // Weights fetched ahead, in units of 4 KiB.
  int64_t prefetch = Row("prefetch", 0, {0, 64}, Always<0, 1, 2>);
  // Whether the sum of each block is scaled, or each weight.
  int64_t late_scales = Row("late_scales", 0, {0, 1}, Always<0, 1>);
  // Whether a worker unpacks a panel before its first tile.
  int64_t unpack_panel = Row("unpack_panel", 0, {0, 1}, Unpacked);

  bool unpacks() const { return unpack_panel != 0; }
  bool scales_late() const { return late_scales != 0; }
  int LanesOn(const MachineModel& machine) const {
    return static_cast<int>(std::min<int64_t>(machine.vector_lanes, oc_block));
  }
};

// Emits the stage. The operands are data, words, scales, perhaps zero points, then those of the epilogue.
void EmitDenseBlocks(KernelBuilder& builder, const Workload& workload, const DenseBlocksKnobs& knobs,
                     const Epilogue& epilogue, const std::string& symbol);

}  // namespace hone
