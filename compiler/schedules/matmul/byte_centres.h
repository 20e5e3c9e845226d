// The share of the zero points in products of bytes: the values with which a tile's sums start.
#pragma once

#include <cstdint>

#include "compiler/codegen/kernel_builder.h"
#include "compiler/schedules/matmul/matmul_shape.h"
#include "compiler/schedules/matmul/matmul_tile.h"

namespace hone {

// Computes these values for one worker's panel of a batch_matmul of BytePairTypes, packed as packed_panel.h says. The
// formula is in batch_matmul_emit.cc. Its functions emit code at the builder's place; all sums are int32, modulo 2^32.
//
//   workspace   | panel: steps x columns x 4 bytes | per column: zx (K zw' - sum w') | per row: -zw' sum x |
class ByteCentres {
 public:
  // `packed` is the worker's panel of `columns` columns and has room for WorkspaceBytes. Loads the zero points (operand
  // 2).
  ByteCentres(KernelBuilder& builder, const MatmulShape& shape, const MatmulTile& tile, const StageArgs& args,
              Value* packed, int64_t columns);

  // Computes the part per column for the panel's first `columns` columns; call it after the panel was packed.
  void EmitColumns(int64_t columns);
  // The start values of a tile whose rows are at `x`, in the order that MatmulTile::Sums takes.
  Vals Start(Value* x, TileSize size);

  // Bytes of a packed panel of `columns` columns and of the parts behind it, for tiles of up to `rows` rows.
  static int64_t WorkspaceBytes(const MatmulShape& shape, int64_t columns, int64_t rows);

 private:
  Value* SumOfRow(Value* x);

  KernelBuilder& b_;
  const MatmulShape& s_;
  const MatmulTile& tile_;
  Value *packed_, *columns_, *rows_;  // the panel, and the parts behind it: per column, per row
  Value *data_zero_, *weight_zero_;   // int32; 128 is taken from the second
};

}  // namespace hone
