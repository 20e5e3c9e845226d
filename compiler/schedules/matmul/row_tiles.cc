#include "compiler/schedules/matmul/row_tiles.h"

#include <algorithm>

namespace hone {
namespace {

bool AllInside(const RowShape& row, int64_t start, int64_t width) {
  return TapInside(row, start, 0) && TapInside(row, start + width - 1, row.taps - 1);
}

}  // namespace

bool TapInside(const RowShape& row, int64_t w, int64_t k) {
  const int64_t column = w * row.stride - row.pad + k * row.dilation;
  return column >= 0 && column < row.input;
}

std::vector<RowTile> CutRow(const RowShape& row, int64_t tile) {
  std::vector<RowTile> tiles;
  for (int64_t start = 0; start < row.extent; start += tile) {
    const int64_t width = std::min(tile, row.extent - start);
    const bool border = !AllInside(row, start, width);
    if (!border && !tiles.empty() && !tiles.back().border && tiles.back().width == width) {
      ++tiles.back().count;
    } else {
      tiles.push_back({start, width, 1, border});
    }
  }
  return tiles;
}

}  // namespace hone
