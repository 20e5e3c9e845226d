#include "lab/text/table.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/text/printable.h"
#include "lab/text/print.h"

namespace hone {
namespace {

constexpr size_t kMostCellBytes = 1000;
constexpr size_t kOutputPieceBytes = size_t{1} << 16;

}  // namespace

Table::Table(std::vector<std::string> headers) {
  cells_.headers = std::move(headers);
  for (std::string& header : cells_.headers) {
    cells_.right.push_back(header.starts_with("> "));
    if (cells_.right.back()) header.erase(0, 2);
  }
}

void Table::Add(std::vector<std::string> cells) {
  if (cells.size() > cells_.headers.size()) {
    throw Error(ExitCode::kBug, "a table's row has more cells than it has columns");
  }
  cells.resize(cells_.headers.size());
  for (std::string& cell : cells) cell = Printable(Shortened(cell, kMostCellBytes));
  cells_.rows.push_back(std::move(cells));
}

size_t PrintTable(const std::vector<std::string>& headers, size_t columns, const EachTableRow& each) {
  size_t rows = 0;
  // Holds one row at a time, or all rows for a terminal.
  Table table(headers);
  TableCells& cells = table.cells_;
  std::vector<size_t> widths;
  for (const std::string& header : cells.headers) widths.push_back(header.size());
  each([&](std::vector<std::string> row) {
    table.Add(std::move(row));
    ++rows;
    if (columns > 0) return;
    for (size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], cells.rows[0][i].size());
    cells.rows.clear();
  });
  if (rows == 0) return 0;
  if (columns > 0) {
    Print("{}", table.ToText(columns));
    return rows;
  }
  std::string piece = TableLine(cells.headers, widths, cells.right);
  each([&](std::vector<std::string> row) {
    table.Add(std::move(row));
    piece += TableLine(cells.rows[0], widths, cells.right);
    cells.rows.clear();
    if (piece.size() > kOutputPieceBytes) Print("{}", std::exchange(piece, ""));
  });
  Print("{}", piece);
  return rows;
}

std::string Table::ToText(size_t columns) const { return columns > 0 ? FitTable(cells_, columns) : DrawTable(cells_); }

}  // namespace hone
