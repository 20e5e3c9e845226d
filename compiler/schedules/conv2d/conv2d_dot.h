// conv2d_dot: convolutions with fewer outputs than a vector has lanes. Lanes are input channels, so none is idle. Each
// output is a dot product whose lanes are added up at the end. Any kernel size, stride and dilation; one group. Takes
// floats. Takes bytes and pairs of bfloat16 if outputs along w read neighbours; several outputs then share one vector.
#pragma once

#include <string>
#include <vector>

#include "compiler/schedules/conv2d/conv_emitter.h"
#include "compiler/schedules/conv2d/conv_shape.h"
#include "compiler/schedules/matmul/row_tiles.h"
#include "compiler/schedules/parts/register_tile.h"
#include "compiler/schedules/schedule.h"

namespace hone {

struct DotKnobs : KnobTable {
  using KnobTable::KnobTable;
  static std::vector<int64_t> InputBlocks(const Workload& w, const MachineModel& machine);
  static std::vector<int64_t> ChannelsOfTile(const Workload& w, const MachineModel& machine);
  static std::vector<int64_t> TileWidths(const Workload& w, const MachineModel& machine);

  // Lanes of an input block: the machine's.
  int64_t ic_block = Row("ic_block", 8, {1, 128}, InputBlocks);
  // Output channels of one register tile.
  int64_t tile_oc = Row("tile_oc", 1, {1, 64}, ChannelsOfTile);
  // Outputs along w of one register tile.
  int64_t tile_ow = Row("tile_ow", 1, {1, 64}, TileWidths);
  // 1: register tiles of a row are work items (conv_emitter.h).
  int64_t column_items = Row(kColumnItems, 0, {0, 1}, Always<>);
};

// The extents that the knobs give a shape, shared by the estimate and the emitter.
struct DotNest {
  ConvShape shape;
  ElementTypes types;
  const DotKnobs& knobs;  // must outlive the nest
  int64_t in_blocks = 0;
  int pixels = 1;  // neighbouring outputs along w in one vector: as many as a lane's step has input channels
  int parts = 1;   // registers that one operand of a step takes
  RowShape row;

  DotNest(const Workload& workload, const MachineModel& machine, const DotKnobs& knobs);
  // The tiles of a row, in whole vectors. Outputs left over at the end of a row are computed together with earlier
  // outputs, which are then computed twice.
  std::vector<RowTile> Tiles() const;
  RowItems Items() const { return {Tiles(), knobs.tile_ow, knobs.column_items != 0}; }
  RegisterTile Registers(int64_t outputs) const;
  TileShape Tile() const;
};

// Emits the kernel of a valid config; see conv2d_dot_emit.cc.
EmittedKernel EmitConv2dDot(KernelBuilder& builder, const DotNest& nest, const Epilogue& epilogue,
                            const std::string& symbol);

}  // namespace hone
