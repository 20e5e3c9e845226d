// The schedules that schedule.cc lists. Their tables of knobs, and what their emitters need, are in headers of their
// own where several files share them.
#pragma once

#include "compiler/schedules/schedule.h"

namespace hone {

// conv2d_direct: convolution of any kernel size, stride, dilation, group and channel count, in NCHWc.
const Schedule& Conv2dDirect();
// conv2d_amx: convolution of one group with Intel AMX's tile registers.
const Schedule& Conv2dAmx();
// conv2d_winograd: F(2x2, 3x3) and F(4x4, 3x3) for stride-1 3x3 convolutions.
const Schedule& Conv2dWinograd();
// conv2d_winograd_int16: the same of bytes, computed exactly in 16-bit integers. For machines that multiply pairs of 16
// bits (x86).
const Schedule& Conv2dWinogradInt16();
// conv2d_depthwise: one filter per channel, in NCHWc. Vectors run over channels; an input row is read once per kernel
// row and shared by its taps.
const Schedule& Conv2dDepthwise();
// conv2d_dot: convolutions with fewer outputs than a vector has lanes.
const Schedule& Conv2dDot();
// conv2d_pixels: pointwise convolutions of plain planes whose channels do not fill vectors, or are few.
const Schedule& Conv2dPixels();

// dense_pack: a matrix times packed constant weights; batch 1 is its thin case.
const Schedule& DensePack();
// dense_amx: a matrix of several rows times constant weights, in bfloat16 or bytes, with Intel AMX's tile registers.
const Schedule& DenseAmx();
// dense_blocks: a matrix times constant weights of 2, 4 or 8 bits, with a scale for each block of them.
const Schedule& DenseBlocks();
// dense_blocks_dot: the same with rows that are quantised to bytes, and exact sums of each block.
const Schedule& DenseBlocksDot();
// dense_blocks_amx: the same for several rows, as bfloat16 in Intel AMX's tile registers.
const Schedule& DenseBlocksAmx();
// batch_matmul: products of two computed matrices, as in attention.
const Schedule& BatchMatmul();
// batch_matmul_amx: products of two computed matrices of bfloat16 with Intel AMX's tile registers, as in attention.
const Schedule& BatchMatmulAmx();
// batch_matmul_dot: products of two computed matrices, one of which has few rows.
const Schedule& BatchMatmulDot();

}  // namespace hone
