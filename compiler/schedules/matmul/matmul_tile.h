// One register tile of a matrix product: rows of the left matrix times a panel of the right one.
#pragma once

#include <algorithm>

#include "compiler/schedules/parts/register_tile.h"
#include "core/workload.h"

namespace hone {

// Rows and columns of a tile or a panel.
struct TileSize {
  int64_t rows = 0, columns = 0;
};

// Values that all tiles of a kernel share. Steps are in bytes.
struct MatmulTile {
  const ElementTypes& types;  // the weight's is StepWeight
  int64_t K = 0;
  int64_t unroll = 1;  // steps of the reduction per inner iteration
  int lanes = 0;
  Value* data_row = nullptr;    // the left matrix: from one row to the next,
  Value* data_step = nullptr;   // and from one k to the next
  Value* panel_step = nullptr;  // the panel: from one step of the reduction to the next; columns are neighbours
  // Nothing may be read past the panel's columns, but a full vector may be read before their end.
  bool ends_sharp = false;
  // The k that are added up, a multiple of those in one step; null: all K.
  Value* depth = nullptr;
  // If a step takes several k and the panel is no packed copy: bytes from one k of the matrix to the next.
  Value* weight_k = nullptr;
  bool flips = false;  // weights that are read so change their sign
  // One more row follows the rows of every tile. It is made of ones, so it has the sums of the columns.
  bool sums_columns = false;

  // The sums of `size.rows` rows from `x` on, and of the row of ones, with `size.columns` columns of the panel at `w`,
  // added to `start`. The vectors of row p are at [p * vectors, (p + 1) * vectors); `start` has the same order, or is
  // empty for zeros. Vector v begins at column FirstColumn(size, v); lanes past the columns hold any value.
  //
  //   10 columns, 4 lanes               vector 0     vector 1     vector 2
  //     reading past them allowed       0 1 2 3      4 5 6 7      8 9 - -
  //     ends_sharp                      0 1 2 3      4 5 6 7      6 7 8 9      the last vector overlaps
  Vals Sums(KernelBuilder& b, Value* x, Value* w, TileSize size, const Vals& start = {}) const;
  // Negative if a vector that ends sharp begins before the panel.
  int64_t FirstColumn(TileSize size, int vector) const {
    const int64_t first = int64_t{vector} * lanes;
    return ends_sharp ? std::min(first, size.columns - lanes) : first;
  }
  // The vectors, from the first on, that are read in place four at a time. Their lanes are out of order until the end.
  int JoinedVectors(TileSize size) const {
    const bool joins = weight_k != nullptr && types.whole() && lanes >= 4 && lanes <= 16;
    return joins ? static_cast<int>(size.columns / (4 * int64_t{lanes})) * 4 : 0;
  }
  int Vectors(TileSize size) const { return static_cast<int>((size.columns + lanes - 1) / lanes); }
};

// Loads steps of four bytes each, as int32, along rows of `row` bytes; the alignment is that of these rows.
Value* LoadFours(KernelBuilder& b, Value* ptr, int lanes, int64_t row);
// Loads `count` bytes from `ptr` on, fewer than four, as an int32 whose other bytes are 0.
Value* LoadBytesOfStep(KernelBuilder& b, Value* ptr, int count);

// Writes the first `width` lanes and touches nothing past them.
void StoreLanes(KernelBuilder& b, Value* vector, DType type, Value* to, int width);

}  // namespace hone
