// Copies a panel of a matrix into a workspace, where a register tile's columns are neighbours.
#pragma once

#include "compiler/codegen/kernel_builder.h"
#include "core/workload.h"

namespace hone {

// Cycles per element of a panel on a Zen 5 core: copied, and transposed in registers.
inline constexpr double kPanelCopyCycles = 0.1, kPanelTransposeCycles = 0.3;
// Cycles per element of four bytes on an Emerald Rapids core, joined from four rows, and its column's sum.
inline constexpr double kPanelJoinCycles = 0.6;
// The cycles per element of a matrix whose columns are neighbours or not.
inline double PackingCycles(bool neighbours, bool bytes) {
  return !neighbours ? kPanelTransposeCycles : bytes ? kPanelJoinCycles : kPanelCopyCycles;
}

// Some columns of a product's right matrix: N x K before, [k][column] when packed. For bytes a step of the reduction is
// four k of a column; zeros follow the last k.
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
  // Bytes change their sign: the highest bit of each is flipped, but not of the zeros behind the last k.
  bool flips = false;

  // Emits the copy of `columns` columns from `from`. Lanes past the columns stay as they were.
  void Emit(KernelBuilder& b, Value* from, Value* to, int64_t columns) const;
};

// The type in which one step of a product's reduction is stored. It is the weight's, or an int32 that holds a pair of
// bfloat16 or four bytes.
DType StepType(const ElementTypes& types);

// Loads neighbouring columns of `rows` rows of a matrix, at most as many as one step of the sum takes, as `lanes`
// elements of StepType. Row 0 is the lowest byte or bfloat16 of an element; rows that lack are zeros. `step` is the
// number of bytes from one row to the next.
Value* LoadJoinedRows(KernelBuilder& b, const ElementTypes& types, Value* at, Value* step, int rows, int lanes);
// LoadJoinedRows of 4 x `lanes` columns of bytes, in the order of JoinedFours. Lanes are 4, 8 or 16.
Vals LoadJoinedFours(KernelBuilder& b, Value* at, Value* step, int rows, int lanes);
// Flips the highest bit of the first `count` bytes of each four.
Value* FlippedSigns(KernelBuilder& b, Value* fours, int count);

}  // namespace hone
