// A panel of a matrix copied into a workspace, where register tiles read it as neighbours.
#pragma once

#include "compiler/codegen/kernel_builder.h"
#include "core/workload.h"

namespace hone {

// Some columns of the right matrix of a product, N x K as it lies and [k][column] as it is packed. Of bytes, uint8, a
// step of the reduction is four k of a column, which are packed as int8, 128 less each; behind the last k are zeros.
struct PanelPacking {
  const ElementTypes& types;
  int64_t K = 0;
  int lanes = 0;            // a power of two
  int64_t row_bytes = 0;    // packed: from one step of the reduction to the next
  Value* row = nullptr;     // as it lies: bytes from one column of the output (N) to the next,
  Value* step = nullptr;    // and from one k to the next
  bool neighbours = false;  // whether columns lie side by side; else the k of one column do

  // Emits the copy of `columns` of them from `from`. Lanes past the columns are left as they were.
  void Emit(KernelBuilder& b, Value* from, Value* to, int64_t columns) const;
};

// How one step of a product's reduction is stored: the weight's element, or an int32 that holds a pair of bfloat16 or
// four bytes.
DType StepType(const ElementTypes& types);

}  // namespace hone
