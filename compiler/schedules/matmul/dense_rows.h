// The end of a dense layer's register tile: its sums become rows of the output.
#pragma once

#include "compiler/schedules/parts/epilogue_emit.h"
#include "compiler/schedules/parts/register_tile.h"

namespace hone {

// Rows [row, row + registers.pixels) of the output and `columns` columns of the panel, which is `oc_block` wide.
struct DenseTile {
  const RegisterTile& registers;
  Value *row, *panel;
  int64_t oc_block, columns;
};

// Applies the epilogue to the tile's sums and stores them. A tail is written lane by lane so that nothing past the row
// is touched.
void StoreDenseTile(KernelBuilder& b, const Epilogue& epilogue, const ElementTypes& types,
                    const EpilogueAddresses& behind, const DenseTile& tile, const Vals& sums);

}  // namespace hone
