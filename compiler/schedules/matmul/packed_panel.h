// Copies a panel of a matrix into a workspace, where a register tile's columns are neighbours.
#pragma once

#include "compiler/codegen/kernel_builder.h"
#include "core/workload.h"

namespace hone {

// Cycles per element of a panel on a Zen 5 core: copied, and transposed in registers.
inline constexpr double kPanelCopyCycles = 0.1, kPanelTransposeCycles = 0.3;

// Some columns of a product's right matrix: N x K before, [k][column] when packed. For bytes (uint8) a step of the
// reduction is four k of a column, packed as int8 less 128; zeros follow the last k.
struct PanelPacking {
  const ElementTypes& types;
  int64_t K = 0;
  int lanes = 0;            // a power of two
  int64_t row_bytes = 0;    // packed: from one step of the reduction to the next
  Value* row = nullptr;     // of the matrix: bytes from one column of the output (N) to the next
  Value* step = nullptr;    // of the matrix: bytes from one k to the next
  bool neighbours = false;  // columns are neighbours in the matrix; else the k of one column are
  // The k that are packed, a multiple of those in one step of the sum; null: all K.
  Value* depth = nullptr;

  // Emits the copy of `columns` columns from `from`. Lanes past the columns stay as they were.
  void Emit(KernelBuilder& b, Value* from, Value* to, int64_t columns) const;
};

// The type in which one step of a product's reduction is stored. It is the weight's, or an int32 that holds a pair of
// bfloat16 or four bytes.
DType StepType(const ElementTypes& types);

}  // namespace hone
