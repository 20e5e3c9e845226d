// What zero points add to products of bytes that are multiplied as they lie: where the sums of a tile begin.
#pragma once

#include <cstdint>

#include "compiler/codegen/kernel_builder.h"
#include "compiler/schedules/matmul_shape.h"
#include "compiler/schedules/matmul_tile.h"

namespace hone {

// Of one worker's panel of a batch_matmul of BytePairTypes, packed as packed_panel.h says. Emits code where it is
// asked; all sums are int32, modulo 2^32.
class ByteCentres {
 public:
  // `packed` is the worker's panel of `columns` columns; WorkspaceBytes lie there. Loads the zero points, operand 2.
  ByteCentres(KernelBuilder& builder, const MatmulShape& shape, const MatmulTile& tile, const StageArgs& args,
              Value* packed, int64_t columns);

  // Of the panel, what its first `columns` columns begin with; after it was packed.
  void EmitColumns(int64_t columns);
  // The values that a tile begins with whose rows are at `x`, as MatmulTile::Sums takes them.
  Vals Start(Value* x, TileSize size);

  // Of a panel of `columns` columns, packed, and of what lies behind it for tiles of `rows` rows.
  static int64_t WorkspaceBytes(const MatmulShape& shape, int64_t columns, int64_t rows);

 private:
  Value* SumOfRow(Value* x);

  KernelBuilder& b_;
  const MatmulShape& s_;
  const MatmulTile& tile_;
  Value *packed_, *columns_, *rows_;  // the panel, and what is kept behind it
  Value *data_zero_, *weight_zero_;   // int32; the second 128 less
};

}  // namespace hone
