// Filters of bytes, transformed when the kernel runs: a package holds them as the bytes that they are, and what comes
// from memory is an eighth of F(4x4)'s transformed ones.
#pragma once

#include "compiler/codegen/kernel_builder.h"
#include "compiler/schedules/conv2d_winograd.h"

namespace hone {

// Emits U = G g G^T times 4 (m = 2) or 900 (m = 4) of the filters of one group of output blocks. `filters` is where its
// int8 lie, [pair of in channels][row][column][tile_oc * oc_block out channels][2]; `target` is where its int16 go,
// [frequency][pair of in channels][tile_oc * oc_block][2], frequencies nest.filter_frequency_bytes apart. `scratch` is
// room for 3 (m + 2) vectors of 2 * lanes int16.
void EmitWinogradFilters(KernelBuilder& b, const WinogradNest& nest, Value* filters, Value* target, Value* scratch);

}  // namespace hone
