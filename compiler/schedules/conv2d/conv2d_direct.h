// conv2d_direct: direct convolution in NCHWc with the padding inside the kernel. Any kernel size, stride, dilation,
// group and channel count. The element types are one of these:
// - float32;
// - uint8 data and int8 weights with int32 sums: four input channels are one step, and a group's channels come in
//   fours;
// - bfloat16 for data, weights or output, with float32 sums: if data and weights both are, two input channels are one
//   step, and a group's channels come in pairs.
#pragma once

#include <string>
#include <vector>

#include "compiler/schedules/conv2d/conv_emitter.h"
#include "compiler/schedules/conv2d/conv_shape.h"
#include "compiler/schedules/parts/register_tile.h"
#include "compiler/schedules/schedule.h"

namespace hone {

struct DirectKnobs : KnobTable {
  using KnobTable::KnobTable;
  static std::vector<int64_t> OutputBlocks(const Workload& w, const MachineModel& machine);
  static std::vector<int64_t> InputBlocks(const Workload& w, const MachineModel& machine);
  static std::vector<int64_t> BlocksOfTile(const Workload& w, const MachineModel& machine);
  static std::vector<int64_t> TileWidths(const Workload& w, const MachineModel& machine);
  static std::vector<int64_t> JoinedRows(const Workload& w, const MachineModel& machine);
  static std::vector<int64_t> Unrolls(const Workload& w, const MachineModel& machine);
  static std::vector<int64_t> Chunks(const Workload& w, const MachineModel& machine);

  // Lanes of an output block: the output is NCHW{oc_block}c.
  int64_t oc_block = Row("oc_block", 8, {1, 128}, OutputBlocks);
  // Lanes of an input block; 1 reads plain NCHW.
  int64_t ic_block = Row("ic_block", 8, {1, 128}, InputBlocks);
  // Output blocks of one register tile. The last tile of a group may have fewer.
  int64_t tile_oc = Row("tile_oc", 1, {1, 64}, BlocksOfTile);
  // Outputs along w of one register tile.
  int64_t tile_ow = Row("tile_ow", 1, {1, 64}, TileWidths);
  // Pointwise only: rows joined into one line.
  int64_t tile_oh = Row("tile_oh", 1, {1, 1024}, JoinedRows);
  // Input channels per inner iteration.
  int64_t unroll_ic = Row("unroll_ic", 1, {1, 64}, Unrolls);
  // Input blocks per pass, with partial sums kept in the output; 0: all in one pass.
  int64_t ic_chunk = Row("ic_chunk", 0, {0, 1 << 20}, Chunks);
  // 0: rows of one channel group first (weights stay); 1: channel groups of one row first (input stays).
  int64_t loop_order = Row("loop_order", 0, {0, 1}, Always<0, 1>);
  // 1: the next register tile's weights are fetched while the present ones are used.
  int64_t prefetch = Row("prefetch", 0, {0, 1}, Always<0, 1>);
  // Above 0: register tiles of a row are work items (conv_emitter.h); with a prologue, parts of a row are. The value is
  // the least number of rows of a run, in whose first tiles the next weights are fetched.
  int64_t column_items = Row(kColumnItems, 0, {0, 1 << 20}, Always<>);
};

// Most taps of an inner tile in a straight line. Hundreds would not fit into the first-level instruction cache, and
// LLVM would take seconds to compile them.
inline constexpr int64_t kMostTapsInLine = 16;

// Least outputs of a part of a row, if parts are work items. The weights are read again for each part.
inline constexpr int64_t kPartColumns = 12;

// The extents that the knobs give a shape, shared by the estimate and the emitter.
struct DirectNest {
  ConvShape shape;
  ElementTypes types;
  Prologue prologue;
  const DirectKnobs& knobs;      // must outlive the nest
  int lanes = 8;                 // of one vector: the machine's, or oc_block if that is less
  bool widened = false;          // a row's bytes are widened to 16 bits once, for all its output channels
  int parts = 1;                 // registers that one operand of a step takes
  int64_t dot = 1;               // input channels of one step
  int64_t rows = 0;              // work items along h
  int64_t row_width = 0;         // outputs of one row
  int64_t row_input = 0;         // input columns of one row
  int64_t in_blocks = 0;         // of one group
  int64_t out_blocks = 0;        // of all groups
  int64_t groups_of_blocks = 0;  // out_blocks / tile_oc, rounded up
  int64_t chunks = 1;

  DirectNest(const Workload& workload, const MachineModel& machine, const DirectKnobs& knobs);
  TileShape Tile() const;
  RowShape Row() const;
  RowItems Items() const { return {Row(), knobs.tile_ow, knobs.column_items != 0 && PanelBlocks() == 0}; }
  // Whether rows are the inner axis of column_items. They then share each chunk of weights, wherever a run ends.
  bool RowsInside() const { return knobs.loop_order == 0 && chunks > 1 && Items().items() > 1; }
  // Parts of a row whose input is prepared at once, and register tiles of a part: all are one unless column_items say
  // otherwise.
  int64_t RowParts() const;
  int64_t PartTiles() const;
  int vectors() const { return static_cast<int>(knobs.tile_oc * (knobs.oc_block / lanes)); }
  RegisterTile Registers(int64_t pixels) const;
  // Whether the taps of a kernel row follow each other in a straight line, because one tap is too little work for a
  // loop. Neighbouring taps share inputs there. A step of two halves would keep these in registers that it does not
  // have.
  bool TapsInLine() const;
  // Input channels of one straight line in a border tile, whose taps also follow each other in a straight line.
  int64_t UnrollAtBorder(const MachineModel& machine) const;
  // Input blocks in a worker's panel: those of the whole row, or of one group; 0 if there is no panel.
  int64_t PanelBlocks() const;
};

// Emits the kernel of a valid config; see conv2d_direct_emit.cc.
EmittedKernel EmitConv2dDirect(KernelBuilder& builder, const DirectNest& nest, const Epilogue& epilogue,
                               const std::string& symbol);

}  // namespace hone
