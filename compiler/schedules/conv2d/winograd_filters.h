// Transforms filters of bytes when the kernel runs. A package then holds the filters' own bytes, which for F(4x4) are
// an eighth of the transformed filters that would come from memory.
#pragma once

#include "compiler/codegen/kernel_builder.h"
#include "compiler/schedules/conv2d/conv2d_winograd.h"

namespace hone {

// Emits U = G g G^T times 4 (m = 2) or 900 (m = 4) for the filters of one group of output blocks. `filters` is the
// address of their int8, [pair of in channels][row][column][tile_oc * oc_block out channels][2]. `target` is the
// address for the int16, [frequency][pair of in channels][tile_oc * oc_block][2], with frequencies
// nest.filter_frequency_bytes apart. `scratch` has room for 3 (m + 2) vectors of 2 * lanes int16.
//
//   taps, 3 x 3         alpha x 3, in scratch         alpha x alpha, here of m = 2
//     . . .     G g         . . .        (G g) G^T      . . . .
//     . . .   ------>       . . .       ---------->     . . . .      element (r, c) is frequency r * alpha + c
//     . . .                 . . .                       . . . .
//                           . . .                       . . . .
void EmitWinogradFilters(KernelBuilder& b, const WinogradNest& nest, Value* filters, Value* target, Value* scratch);

}  // namespace hone
