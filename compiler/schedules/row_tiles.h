// How a row of outputs is cut into register tiles, with the taps that fall into the padding left out.
#pragma once

#include <cstdint>
#include <vector>

namespace hone {

// The row of a convolution along w: `extent` outputs, each at input column w * stride - pad + k * dilation for tap k.
struct RowShape {
  int64_t extent = 0;  // outputs
  int64_t input = 0;   // input columns
  int64_t taps = 1;
  int64_t stride = 1, pad = 0, dilation = 1;
};

// `count` tiles of `width` outputs each, the first at `start`. Interior tiles have every tap of every output inside the
// input and may be looped over; a border tile stands alone (count 1).
struct RowTile {
  int64_t start = 0;
  int64_t width = 0;
  int64_t count = 1;
  bool border = false;
};

// Covers [0, extent) from left to right with tiles of `tile` outputs, a narrower one last.
std::vector<RowTile> CutRow(const RowShape& row, int64_t tile);

// Whether output w's tap k reads inside the input.
bool TapInside(const RowShape& row, int64_t w, int64_t k);

}  // namespace hone
