// Square transposes in registers, out of shuffles that every vector unit has.
#pragma once

#include "compiler/codegen/kernel_builder.h"

namespace hone {

// result[i] lane j is rows[j] lane i. As many rows as lanes: 1, 2, 4, 8 or 16; elements of any type. Interleaves
// neighbours inside groups of four lanes, then moves whole groups: log2(lanes) shuffles a row, each of two registers.
Vals TransposeInRegisters(KernelBuilder& b, Vals rows);

}  // namespace hone
