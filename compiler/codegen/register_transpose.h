// Square transposes in registers, out of shuffles that every vector unit has.
#pragma once

#include "compiler/codegen/kernel_builder.h"

namespace hone {

// result[i] lane j is rows[j] lane i. As many rows as lanes, at most 16 and four times those of 16 bytes: a power of
// two; elements of any type of 1 to 8 bytes. Interleaves lanes inside groups of 16 bytes, then moves whole groups:
// log2(lanes) shuffles a row, each of two registers.
Vals TransposeInRegisters(KernelBuilder& b, Vals rows);

}  // namespace hone
