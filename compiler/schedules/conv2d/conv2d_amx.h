// conv2d_amx: convolution with Intel AMX's tile registers; one instruction multiplies tiles of 16 outputs and 16 output
// channels. Takes any kernel size, stride, padding and dilation, one group, and data in blocks of as many channels as a
// row of a tile holds. If the input has up to four channels, a row of a tile holds several pixels, and a kernel row is
// one step.
#pragma once

#include <string>
#include <vector>

#include "compiler/schedules/conv2d/conv_shape.h"
#include "compiler/schedules/schedule.h"

namespace hone {

struct StageArgs;

// The contents of a tile row of 64 bytes, for the element types that the tile registers multiply.
struct TileProduct {
  DType data, weight, accumulator;
  int64_t channels;  // in a row of data
  int64_t group;     // neighbours along the reduction that lie together in a row of weights
};
// Null for types that no instruction multiplies, and for an output that is neither the data's type, float32 nor the
// sums.
const TileProduct* TileProductOf(const ElementTypes& types);

struct AmxKnobs : KnobTable {
  using KnobTable::KnobTable;
  static std::vector<int64_t> OutputBlocks(const Workload& w, const MachineModel& machine);
  static std::vector<int64_t> InputBlocks(const Workload& w, const MachineModel& machine);
  static std::vector<int64_t> Bands(const Workload& w, const MachineModel& machine);

  // Lanes of an output block: the output is NCHW{oc_block}c.
  int64_t oc_block = Row("oc_block", 64, {16, 128, 16}, OutputBlocks);
  // Lanes of an input block. If a block does not fill a row of a tile, the input is repacked first. For a thin input 4,
  // or 1 for plain NCHW.
  int64_t ic_block = Row("ic_block", 64, {1, 64}, InputBlocks);
  // Tiles of 16 output channels in one register tile.
  int64_t tile_oc = Row("tile_oc", 1, {1, 6}, Always<1, 2, 4>);
  // Outputs of one register tile, in tiles of up to 16 neighbours.
  int64_t tile_ow = Row("tile_ow", 16, {16, 96, 16}, Always<16, 32, 48, 64>);
  // Rows of outputs of one work item.
  int64_t tile_oh = Row("tile_oh", 1, {1, 1024}, Bands);
  // 0: bands of one channel group first (weights stay); 1: channel groups of one band first (input stays).
  int64_t loop_order = Row("loop_order", 0, {0, 1}, Always<0, 1>);
  // Steps by which weights are fetched ahead of their use; 0 for no fetching.
  int64_t prefetch = Row("prefetch", 0, {0, 64}, Always<0, 1, 4, 8, 16>);
};

// The cut of a band's outputs into tiles. A line has `length` outputs, cut into `per_line` tiles of `width` outputs
// that begin at multiples of `width`. The last tile of a line ends with the line and may repeat outputs of the one
// before. A line is one row of outputs, or, if `joined`, all rows of the band. A joined line has `pitch` outputs per
// row: those past the real row are computed from inputs between two rows and thrown away.
//
//   length 19, width 10     0 1 2 .. 8 9               tile 0
//                                      9 10 .. 18      tile 1, which does not store output 9 again
//
//   joined, OW 3, pitch 5     y y y - - y y y - - y y y     length 13; - is computed and thrown away
struct TileLines {
  bool joined = false;
  int64_t lines = 1, length = 1, pitch = 1, per_line = 1, width = 1;
  int64_t tiles() const { return lines * per_line; }
};

// The extents that the knobs give a shape, shared by the estimate and the emitter.
struct AmxNest {
  ConvShape shape;
  ElementTypes types;
  const AmxKnobs& knobs;  // must outlive the nest
  const TileProduct& product;
  bool thin = false;      // up to four channels: a tile's row holds the pixels of a kernel row
  bool residual = false;  // another tensor is added
  bool filled = false;    // the input is copied with its padding, in whole rows of tiles
  int64_t plane_h = 0;    // rows of the plane that tiles read: the input, or its copy
  int64_t plane_w = 0;
  int64_t pixel_bytes = 0;  // bytes of one pixel of the plane
  int64_t in_blocks = 0;    // of product.channels
  int64_t out_vectors = 0;  // of 16 channels, including those past the last block's
  int64_t groups = 0;       // of tile_oc vectors, enough for the channels
  int64_t bands = 0;
  TileLines lines;

  AmxNest(const Workload& workload, const AmxKnobs& knobs);
  // Steps of a kernel row, and of the whole kernel.
  int64_t tap_columns() const { return thin ? 1 : shape.KW; }
  int64_t taps() const { return shape.KH * tap_columns(); }
  int64_t together() const { return knobs.tile_ow / 16; }  // tiles of outputs in one register tile
  int64_t plane_bytes() const;
  TileShape Tile() const;
};

// Channels of a pixel of a thin input.
inline constexpr int64_t kThinChannels = 4;

// Emits the first stage, if the nest is `filled`; see conv2d_amx_fill.cc. Its work items are rows of the plane: ((n *
// in_blocks) + block) * plane_h + row.
void EmitAmxFill(KernelBuilder& builder, const AmxNest& nest, const StageArgs& args);
// Emits the kernel of a valid config; see conv2d_amx_emit.cc.
EmittedKernel EmitConv2dAmx(KernelBuilder& builder, const AmxNest& nest, const Epilogue& epilogue,
                            const std::string& symbol);

}  // namespace hone
