// Rows of float32 as signed bytes with a step for each block, for products with packed integers of a few bits.
#pragma once

#include "compiler/codegen/kernel_builder.h"
#include "core/block_format.h"
#include "core/ceil_div.h"

namespace hone {

// A row of `columns` in memory, in blocks as its weights have them. Bytes stand as unpacking a word of weights gives
// them, in fours, so that one multiplication serves four. With 4 bits, two groups for each word:
//
//   bytes   | k0 k2 k4 k6 | k1 k3 k5 k7 | k8 k10 k12 k14 | ..     0 past the columns
//   steps   | block 0 | block 1 | ..                              float32: the largest magnitude / 127; NaN of a
//                                                                  block with a NaN or an infinity
//   sums    | block 0 | block 1 | ..                              int32: of a block's bytes
//   starts  | block 0, part 0 | block 0, part 1 | ..              with parts: two int16, minus the middle of the
//   weights'
//                                                                  range times the sum of bytes 4i, 4i + 1 of the part,
//                                                                  and of bytes 4i + 2, 4i + 3
struct QuantisedRows {
  BlockFormat format;
  int64_t columns = 0;
  int64_t part = 0;  // columns of a block that have a start; words are not divided; 0: there are no starts

  int64_t groups() const { return format.per_word() / 4; }  // of a word
  int64_t steps_at() const { return format.Words(columns) * format.per_word(); }
  int64_t sums_at() const { return steps_at() + format.Blocks(columns) * 4; }
  int64_t starts_at() const { return sums_at() + format.Blocks(columns) * 4; }
  int64_t parts() const { return part == 0 ? 0 : CeilDiv(format.block, part); }  // of a block
  // Bytes from one row to the next; a multiple of a cache line.
  int64_t row_bytes() const { return CeilDiv(starts_at() + format.Blocks(columns) * parts() * 4, 64) * 64; }

  // Quantises the float32 at `from` to the row at `to`: x * (127 / largest) to nearest, halves to even.
  void Emit(KernelBuilder& b, Value* from, Value* to) const;
};

}  // namespace hone
