// The share of the zero points in products of two computed matrices of bytes.
#pragma once

#include <cstdint>

#include "compiler/codegen/kernel_builder.h"
#include "compiler/schedules/matmul/matmul_shape.h"
#include "compiler/schedules/matmul/matmul_tile.h"

namespace hone {

// Computes the zero points' share for one worker. Its functions emit code at the builder's place; all sums are int32,
// modulo 2^32. Let w' be the right matrix as the kernel holds it, of the type `tile.types.weight`, which may differ
// from w by 128. Let zw' be its zero point. Then
//
//   sum (x - zx) (w - zw)  =  sum x w'  +  zx (K zw' - sum w')  -  zw' sum x
//                                          per column: Columns    per row: Rows
class ByteCentres {
 public:
  // `memory` is WorkspaceBytes of the worker's own. Loads the zero points (operand 2).
  ByteCentres(KernelBuilder& builder, const MatmulShape& shape, const MatmulTile& tile, const StageArgs& args,
              Value* memory, int64_t rows);

  // Computes the part per column of a panel that is packed at `panel`, and keeps it.
  void EmitColumns(Value* panel, int64_t columns);
  // Computes the part per row of the rows at `x`, and keeps it from row number `first` of the memory on.
  void EmitRows(Value* x, int64_t rows, int64_t first = 0);
  // The part per column, int32, if the columns of w' have these sums.
  Value* OfColumns(Value* sums);
  // Addresses of the kept parts.
  Value* columns() { return columns_; }
  Value* Row(Value* row);
  // The kept parts as start values of a tile, in the order that MatmulTile::Sums takes.
  Vals Start(TileSize size);

  // For a panel of `columns` columns, 0 if there is none, and tiles of up to `rows` rows.
  static int64_t WorkspaceBytes(int64_t columns, int64_t rows);

 private:
  Value* SumOfRow(Value* x);
  Value* SumOfRest(Value* x, int64_t count);

  KernelBuilder& b_;
  const MatmulShape& s_;
  const MatmulTile& tile_;
  Value *rows_, *columns_;
  Value *data_zero_, *weight_zero_;  // zx and zw'
};

}  // namespace hone
