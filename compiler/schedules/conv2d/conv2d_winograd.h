// conv2d_winograd: F(2x2, 3x3) and F(4x4, 3x3) for stride-1 3x3 convolutions in NCHWc (Lavin and Gray, "Fast Algorithms
// for Convolutional Neural Networks", 2016).
#pragma once

#include <string>
#include <vector>

#include "compiler/schedules/conv2d/conv_emitter.h"
#include "compiler/schedules/conv2d/conv_shape.h"
#include "compiler/schedules/parts/register_tile.h"
#include "compiler/schedules/schedule.h"
#include "core/ceil_div.h"

namespace hone {

struct WinogradKnobs : KnobTable {
  using KnobTable::KnobTable;
  static std::vector<int64_t> Blocks(const Workload& w, const MachineModel& machine);
  static std::vector<int64_t> BlocksOfTile(const Workload& w, const MachineModel& machine);
  static std::vector<int64_t> TileWidths(const Workload& w, const MachineModel& machine);
  static std::vector<int64_t> TileBlocks(const Workload& w, const MachineModel& machine);

  // The m of F(m x m, 3 x 3): outputs along one side of a Winograd tile. In records its name is tile_m; in other
  // schedules that name means rows of a register tile.
  int64_t m = Row("tile_m", 4, {2, 4, 2}, Always<2, 4>);
  int64_t oc_block = Row("oc_block", 8, {1, 64}, Blocks);
  int64_t ic_block = Row("ic_block", 8, {1, 64}, Blocks);
  // Output blocks of the product's register tile.
  int64_t tile_oc = Row("tile_oc", 1, {1, 64}, BlocksOfTile);
  // Winograd tiles of the product's register tile.
  int64_t tile_ow = Row("tile_ow", 1, {1, 64}, TileWidths);
  // Winograd tiles that go through all three steps together, on one worker. With 0 every step runs over all tiles, with
  // a barrier after it, so that even a few tiles give work to every thread.
  int64_t tile_block = Row("tile_block", 0, {0, 1 << 20}, TileBlocks);
  // Order within a frequency. 0: tiles under one channel group (weights stay); 1: channel groups under tiles.
  int64_t loop_order = Row("loop_order", 0, {0, 1}, Always<0, 1>);
  // Input channels per inner iteration.
  int64_t unroll_ic = Row("unroll_ic", 1, {1, 16}, Always<1, 2, 4>);
  // 1: the next register tile's weights are fetched while the present ones are used.
  int64_t prefetch = Row("prefetch", 0, {0, 1}, Always<0, 1>);
  // Above 0: no item takes tiles of several rows, so that runs of fewer columns leave some out (conv_emitter.h). The
  // value is the least number of rows of a run, in whose first tiles the next weights are fetched.
  int64_t column_items = Row(kColumnItems, 0, {0, 1 << 20}, Always<>);
};

// The extents that the estimate and the emitter share.
struct WinogradNest {
  ConvShape shape;
  ElementTypes types;
  const WinogradKnobs& knobs;  // must outlive the nest
  int lanes;
  int64_t alpha, frequencies;       // m + 2, and its square
  int64_t tiles_h, tiles_w, tiles;  // Winograd tiles of the output, along h and w; and of the whole batch
  int64_t block_tiles;              // tiles that a workspace holds, a multiple of tile_ow
  int64_t in_blocks, out_blocks;
  int64_t group;                   // neighbouring input channels that one step multiplies
  bool sums_apart;                 // a separate instruction adds a step's products
  int64_t in_bytes, weight_bytes;  // of one transformed element
  // With bytes, the groups of tile_oc output blocks are taken one after the other. The workspace then holds the sums of
  // one group, and its filters if the kernel transforms them itself.
  bool by_group, filters_in_run;
  int64_t in_frequency_bytes, filter_frequency_bytes, out_frequency_bytes;  // of one frequency in the workspace

  WinogradNest(const Workload& workload, const MachineModel& machine, const WinogradKnobs& knobs,
               bool filters_in_run = false);
  TileShape Tile() const;
  RegisterTile Registers() const;                      // of the product
  int64_t lines() const { return shape.N * tiles_h; }  // rows of tiles
  int64_t blocks() const;                              // of tiles that go through all three steps together
  int64_t product_tiles() const;                       // slots that the product computes
  // With column_items, the tiles of an item along its row; items of a row; and their axes along rows and columns.
  int64_t item_tiles() const { return knobs.tile_block > 0 ? knobs.tile_block : knobs.tile_ow; }
  int64_t line_items() const { return CeilDiv(tiles_w, item_tiles()); }
  std::vector<StageAxis> LineAxes(int64_t items, int64_t tiles_of_item) const;
  int64_t groups() const { return out_blocks / knobs.tile_oc; }
  int64_t in_workspace_bytes() const { return frequencies * in_frequency_bytes; }
  int64_t group_workspace_bytes() const { return frequencies * (filter_frequency_bytes + out_frequency_bytes); }
  int64_t workspace_bytes() const { return in_workspace_bytes() + group_workspace_bytes(); }
};

// Shared by the schedules of floats and of bytes (conv2d_winograd_int16.cc). SuitsWinograd says whether the workload is
// a 3x3 convolution of stride 1 with enough channels. WinogradOperands gives the kernel's operands, with filters in the
// layout `filters`. RejectWinograd says why the knobs make no kernel of the workload, or nullopt.
bool SuitsWinograd(const Workload& workload);
std::vector<KernelOperand> WinogradOperands(const Workload& workload, const WinogradKnobs& knobs,
                                            const Epilogue& epilogue, const std::string& filters);
std::optional<std::string> RejectWinograd(const WinogradNest& nest, const MachineModel& machine);

// Emits the kernel of a valid config; see conv2d_winograd_emit.cc.
EmittedKernel EmitConv2dWinograd(KernelBuilder& builder, const WinogradNest& nest, const Epilogue& epilogue,
                                 const std::string& symbol);

}  // namespace hone
