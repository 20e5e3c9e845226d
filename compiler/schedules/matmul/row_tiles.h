// Cuts a row of outputs into register tiles and leaves out the taps that fall into the padding.
//
//   8 outputs, 3 taps, pad 1, tile 3     0 1 2 | 3 4 5 | 6 7     first and last read padding: border tiles
#pragma once

#include <cstdint>
#include <vector>

namespace hone {

// A convolution's row along w: `extent` outputs; tap k of output w reads input column w * stride - pad + k * dilation.
struct RowShape {
  int64_t extent = 0;  // outputs
  int64_t input = 0;   // input columns
  int64_t taps = 1;
  int64_t stride = 1, pad = 0, dilation = 1;
};

// `count` tiles of `width` outputs each, the first at `start`. Interior tiles have every tap of every output inside the
// input, and a loop may run over them. A border tile is emitted separately (count 1).
struct RowTile {
  int64_t start = 0;
  int64_t width = 0;
  int64_t count = 1;
  bool border = false;
};

// Covers [0, extent) from left to right with tiles of `tile` outputs; a narrower one comes last.
std::vector<RowTile> CutRow(const RowShape& row, int64_t tile);

// Whether output w's tap k reads inside the input.
bool TapInside(const RowShape& row, int64_t w, int64_t k);

}  // namespace hone
