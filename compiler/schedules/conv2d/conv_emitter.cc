#include "compiler/schedules/conv2d/conv_emitter.h"

#include "core/ceil_div.h"

namespace hone {

int64_t RowItems::count() const {
  int64_t count = 0;
  for (const RowTile& tile : tiles_) count += tile.count;
  return count;
}

std::vector<StageAxis> RowItems::Axes(const ConvShape& shape, int64_t rows, int64_t joined) const {
  std::vector<StageAxis> axes{{rows, shape.row_axis, 1, joined}};
  if (column_items_) axes.push_back({count(), shape.column_axis, 1, tile_});
  return axes;
}

void RowItems::ForRows(KernelBuilder& b, Value* begin, Value* end,
                       const std::function<void(Value*, const Part&)>& body) const {
  if (!column_items_) return b.For(begin, end, 1, [&](Value* row) { body(row, {}); });
  const int64_t tiles = count();
  b.For(b.Div(begin, tiles), b.Div(b.Add(end, tiles - 1), tiles), 1, [&](Value* row) {
    Value* first = b.Mul(row, tiles);
    body(row, {b.Max(b.Sub(begin, first), b.Index(0)), b.Min(b.Sub(end, first), b.Index(tiles))});
  });
}

RowItems::Part RowItems::TilesOf(KernelBuilder& b, Value* begin, Value* end, int64_t rows) const {
  return {b.Div(begin, rows), b.Div(b.Add(end, rows - 1), rows)};
}

void RowItems::ForRowsOf(KernelBuilder& b, Value* tile, Value* begin, Value* end, int64_t rows,
                         const std::function<void(Value*)>& body) const {
  Value* first = b.Mul(tile, rows);
  b.For(b.Max(b.Sub(begin, first), b.Index(0)), b.Min(b.Sub(end, first), b.Index(rows)), 1, body);
}

void RowItems::ForTiles(KernelBuilder& b, const Part& part,
                        const std::function<void(const RowTile&, Value*, int64_t)>& body) const {
  int64_t before = 0;
  for (const RowTile& tile : tiles_) {
    Value *first = b.Index(0), *end = b.Index(tile.count);
    if (part.first != nullptr) {
      first = b.Max(b.Add(part.first, -before), first);
      end = b.Min(b.Add(part.end, -before), end);
    }
    b.For(first, end, 1, [&](Value* i) { body(tile, i, before); });
    before += tile.count;
  }
}

KernelRows KernelRowsInside(KernelBuilder& b, const ConvShape& s, Value* row) {
  // Number of kernel rows, dilated, that begin `before` or more lines above the output's place; rounded up.
  const auto rows_until = [&](int64_t before) {
    Value* lines = b.Sub(b.Index(before + s.dil_h - 1), b.Mul(row, s.stride_h));
    return b.Min(b.Div(b.Max(lines, b.Index(0)), s.dil_h), b.Index(s.KH));
  };
  KernelRows rows{b.Index(0), b.Index(s.KH)};
  if (s.pad_t > 0) rows.first = rows_until(s.pad_t);
  const int64_t reach = (s.OH - 1) * s.stride_h - s.pad_t + (s.KH - 1) * s.dil_h;
  if (reach >= s.H) rows.end = rows_until(s.H + s.pad_t);
  return rows;
}

}  // namespace hone
