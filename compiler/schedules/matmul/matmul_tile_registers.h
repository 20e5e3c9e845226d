#pragma once

#include <array>

#include "compiler/codegen/matrix_tiles.h"
#include "core/nth.h"

namespace hone {

// The tile registers of a matrix product, here with outputs=2 tiles of rows and channels=2 tiles of columns:
//
//   | Sums(0, 0) | Sums(0, 1) | Sums(1, 0) | Sums(1, 1) | Weights(0) | Weights(1) | Rows(0) | Rows(1) |
//
// Tiles of rows take turns in the registers that sums and weights leave free; there must be at least one.
struct MatmulTileRegisters {
  int outputs, channels;

  int Sums(int output, int channel) const { return output * channels + channel; }
  int Weights(int channel) const { return outputs * channels + channel; }
  int Rows(int output) const {
    const int first = Weights(channels);
    return first + output % (MatrixTiles::kRegisters - first);
  }
  // Rows of each register for MatrixTiles::Configure: `width`, but all 16 for weights.
  std::array<int, MatrixTiles::kRegisters> Heights(int64_t width) const {
    std::array<int, MatrixTiles::kRegisters> heights{};
    heights.fill(static_cast<int>(width));
    for (int v = 0; v < channels; ++v) Nth(heights, Weights(v)) = MatrixTiles::kRows;
    return heights;
  }
};

}  // namespace hone
