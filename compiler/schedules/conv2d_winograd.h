// conv2d_winograd: F(2x2, 3x3) and F(4x4, 3x3) for stride-1 3x3 convolutions in NCHWc (Lavin and Gray, "Fast Algorithms
// for Convolutional Neural Networks", 2016).
#pragma once

#include "compiler/schedules/conv_shape.h"
#include "compiler/schedules/schedule.h"

namespace hone {

struct WinogradConfig {
  int64_t tile_m = 4;  // outputs of a tile along one side: 2 or 4
  int64_t oc_block = 8;
  int64_t ic_block = 8;
  int64_t tile_oc = 1;     // output blocks of the product's register tile
  int64_t tile_ow = 1;     // Winograd tiles of the product's register tile
  int64_t tile_block = 0;  // Winograd tiles that go through all three steps together, on one worker; 0: every step over
                           // all tiles, with a barrier between, so that few tiles still give work to every thread
  int64_t loop_order =
      0;  // within a frequency, 0: tiles under one channel group (weights stay); 1: channel groups under tiles
  int64_t unroll_ic = 1;
  int64_t prefetch = 0;  // weights fetched ahead, in KiB

  static WinogradConfig From(const Config& config);
};

// Extents that the estimate and the emission share.
struct WinogradNest {
  ConvShape shape;
  WinogradConfig knobs;
  int lanes;
  int64_t alpha, frequencies;       // m + 2, its square
  int64_t tiles_h, tiles_w, tiles;  // Winograd tiles of the output; of the whole batch
  int64_t block_tiles;              // tiles that a workspace holds, a multiple of tile_ow
  int64_t in_blocks, out_blocks;
  int64_t in_frequency_bytes, out_frequency_bytes;  // of one frequency in the workspace

  WinogradNest(const Workload& workload, const MachineModel& machine, const WinogradConfig& knobs);
  int64_t workspace_bytes() const { return frequencies * (in_frequency_bytes + out_frequency_bytes); }
};

const Schedule& Conv2dWinograd();

// Emits the kernel of a valid config; see conv2d_winograd_emit.cc.
EmittedKernel EmitConv2dWinograd(KernelBuilder& builder, const WinogradNest& nest, const Epilogue& epilogue,
                                 const std::string& symbol);

}  // namespace hone
