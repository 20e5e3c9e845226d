// Tables on a terminal that is narrower than they are.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace hone {

// Rows that have a cell for each header; those of `right` are aligned to the right.
struct TableCells {
  std::vector<std::string> headers;
  std::vector<bool> right;
  std::vector<std::vector<std::string>> rows;
};

// One line of a table whose columns are so wide: two spaces between them, a newline at its end, no trailing spaces.
std::string TableLine(const std::vector<std::string>& cells, const std::vector<size_t>& widths,
                      const std::vector<bool>& right);

// As wide as its widest cells, two spaces between columns. Every line ends with a newline and has no trailing spaces.
std::string DrawTable(const TableCells& cells);

// The same within so many columns, and nothing is lost: the last columns of text are written below each row behind
// their header, then words of headers and of the widest texts go to further lines, then columns lie one space apart.
// Words and numbers are never broken, so that a table may stay wider.
std::string FitTable(TableCells cells, size_t columns);

}  // namespace hone
