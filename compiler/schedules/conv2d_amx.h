// conv2d_amx: convolution with Intel AMX's tile registers, whose products take 16 outputs of 16 channels at once. Any
// kernel size, stride, padding and dilation, one group; data in blocks of as many channels as a row of a tile holds. Of
// up to four channels a row of a tile holds several pixels, and a kernel row is one step.
#pragma once

#include <string>
#include <vector>

#include "compiler/schedules/conv_shape.h"
#include "compiler/schedules/schedule.h"

namespace hone {

struct StageArgs;

// What a row of 64 bytes is in the element types that the tile registers multiply.
struct TileProduct {
  DType data, weight, accumulator;
  int64_t channels;  // of a row of data
  int64_t group;     // neighbours along the reduction that lie together in a row of weights
};
// Null for types that no instruction multiplies. The output's may be the data's, or float32.
const TileProduct* TileProductOf(const ElementTypes& types);

struct AmxKnobs : KnobTable {
  using KnobTable::KnobTable;
  static std::vector<int64_t> OutputBlocks(const Workload& w, const MachineModel& machine);
  static std::vector<int64_t> InputBlocks(const Workload& w, const MachineModel& machine);
  static std::vector<int64_t> Bands(const Workload& w, const MachineModel& machine);

  // Lanes of an output block: the output is NCHW{oc_block}c.
  int64_t oc_block = Row("oc_block", 64, {16, 128, 16}, OutputBlocks);
  // Lanes of an input block; where it is no whole row of a tile, the input is repacked first. Of a thin input 4, or 1
  // for plain NCHW.
  int64_t ic_block = Row("ic_block", 64, {1, 64}, InputBlocks);
  // Tiles of 16 output channels in one register tile.
  int64_t tile_oc = Row("tile_oc", 1, {1, 6}, Always<1, 2, 4>);
  // Outputs of one register tile, in tiles of up to 16 neighbours.
  int64_t tile_ow = Row("tile_ow", 16, {16, 96, 16}, Always<16, 32, 48, 64>);
  // Rows of outputs of one work item.
  int64_t tile_oh = Row("tile_oh", 1, {1, 1024}, Bands);
  // 0: bands of one channel group first (weights stay); 1: channel groups of one band first (input stays).
  int64_t loop_order = Row("loop_order", 0, {0, 1}, Always<0, 1>);
  // So many steps ahead weights are fetched while the present ones are used; 0: not at all.
  int64_t prefetch = Row("prefetch", 0, {0, 64}, Always<0, 1, 4, 8, 16>);
};

// How the outputs of a band are cut into tiles: lines of `length` outputs, of which `per_line` tiles of `width` outputs
// each begin at even steps; the last one ends with the line and may repeat outputs of the one before. A line is a row
// of outputs, or, `joined`, all rows of the band: then it has `pitch` outputs per row, those past the row's are
// computed from what lies between two rows of the input and thrown away.
struct TileLines {
  bool joined = false;
  int64_t lines = 1, length = 1, pitch = 1, per_line = 1, width = 1;
  int64_t tiles() const { return lines * per_line; }
};

// What the knobs make of a shape: extents that the estimate and the emission share.
struct AmxNest {
  ConvShape shape;
  ElementTypes types;
  const AmxKnobs& knobs;  // which must outlive it
  const TileProduct& product;
  bool thin = false;      // up to four channels: a tile's row holds the pixels of a kernel row
  bool residual = false;  // another tensor is added
  bool filled = false;    // the input is copied with its padding, in whole rows of tiles
  int64_t plane_h = 0;    // of what the tiles read: the input, or its copy
  int64_t plane_w = 0;
  int64_t pixel_bytes = 0;  // of its pixels
  int64_t in_blocks = 0;    // of product.channels
  int64_t out_vectors = 0;  // of 16 channels, those past the last one's block counted
  int64_t groups = 0;       // of tile_oc vectors, as many as the channels need
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

const Schedule& Conv2dAmx();

// Emits the kernel of a valid config; see conv2d_amx_emit.cc.
// Its first stage where the nest is `filled`: rows of the plane, ((n * in_blocks) + block) * plane_h + row; see
// conv2d_amx_fill.cc.
void EmitAmxFill(KernelBuilder& builder, const AmxNest& nest, const StageArgs& args);
EmittedKernel EmitConv2dAmx(KernelBuilder& builder, const AmxNest& nest, const Epilogue& epilogue,
                            const std::string& symbol);

}  // namespace hone
