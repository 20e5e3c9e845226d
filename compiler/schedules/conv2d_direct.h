// conv2d_direct: direct convolution in NCHWc with the padding inside the kernel. Any kernel size, stride, dilation,
// group and channel count.
#pragma once

#include <optional>
#include <string>

#include "compiler/schedules/conv_shape.h"
#include "compiler/schedules/schedule.h"

namespace hone {

// The knobs, parsed once. A config that leaves a knob out means the default here.
struct DirectConfig {
  int64_t oc_block = 8;   // lanes of an output block: the output is NCHW{oc_block}c
  int64_t ic_block = 8;   // of an input block; 1 reads plain NCHW
  int64_t tile_oc = 1;    // output blocks of one register tile
  int64_t tile_ow = 1;    // outputs along w of one register tile
  int64_t tile_oh = 1;    // pointwise only: rows joined into one line
  int64_t unroll_ic = 1;  // input channels per inner iteration
  int64_t ic_chunk = 0;   // input blocks per pass, partial sums going through the output; 0: all in one pass
  int64_t loop_order =
      0;  // 0: rows of one channel group first (weights stay); 1: channel groups of one row first (input stays)
  int64_t prefetch = 0;  // weights fetched ahead, in input blocks

  static DirectConfig From(const Config& config);
};

// What the knobs make of a shape: extents that the estimate and the emission share.
struct DirectNest {
  ConvShape shape;
  Prologue prologue;
  DirectConfig knobs;
  int lanes = 8;                 // of one vector: the machine's, or oc_block when that is less
  int64_t rows = 0;              // work items along h
  int64_t row_width = 0;         // outputs of one row
  int64_t row_input = 0;         // input columns of one row
  int64_t in_blocks = 0;         // of one group
  int64_t out_blocks = 0;        // of all groups
  int64_t groups_of_blocks = 0;  // out_blocks / tile_oc
  int64_t chunks = 1;

  DirectNest(const Workload& workload, const MachineModel& machine, const DirectConfig& knobs);
  int vectors() const { return static_cast<int>(knobs.tile_oc * (knobs.oc_block / lanes)); }
};

const Schedule& Conv2dDirect();

// Emits the kernel of a valid config; see conv2d_direct_emit.cc.
EmittedKernel EmitConv2dDirect(KernelBuilder& builder, const DirectNest& nest, const Epilogue& epilogue,
                               const std::string& symbol);

}  // namespace hone
