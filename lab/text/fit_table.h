// Fits tables to terminals that are narrower than the table.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace hone {

// Rows with a cell for each header; columns of `right` are aligned to the right.
struct TableCells {
  std::vector<std::string> headers;
  std::vector<bool> right;
  std::vector<std::vector<std::string>> rows;
};

// One line of a table with these column widths: two spaces between columns, a newline at the end, no trailing spaces.
std::string TableLine(const std::vector<std::string>& cells, const std::vector<size_t>& widths,
                      const std::vector<bool>& right);

// A table as wide as its widest cells, with two spaces between columns. Every line ends with a newline and has no
// trailing spaces.
std::string DrawTable(const TableCells& cells);

// A table within this many columns, without losing any text. First the last text columns are written below each row,
// behind their header. Then words of headers and of the widest texts wrap. Then one space separates columns. Words and
// numbers are never broken, so a table may stay wider.
std::string FitTable(TableCells cells, size_t columns);

}  // namespace hone
