// Square transposes in registers, made of shuffles that every vector unit has.
#pragma once

#include "compiler/codegen/kernel_builder.h"

namespace hone {

// result[i] lane j is rows[j] lane i. There are as many rows as lanes: a power of two, at most 16 and at most four
// times the lanes of 16 bytes. Elements have any type of 1 to 8 bytes. Interleaves lanes within groups of 16 bytes,
// then moves whole groups. It takes log2(lanes) shuffles per row, each of two registers.
Vals TransposeInRegisters(KernelBuilder& b, Vals rows);

}  // namespace hone
