// Text tables for people.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/printing/fit_table.h"

namespace hone {

// Calls `row` with the cells of each row, the same each time.
using EachTableRow = std::function<void(const std::function<void(std::vector<std::string> cells)>& row)>;

// Columns are as wide as their widest cell, two spaces apart; a header of leading '>' is aligned to the right (">
// time").
class Table {
 public:
  explicit Table(std::vector<std::string> headers);
  // Missing cells are empty; more cells than headers are our bug. Cells are made printable, those of over 1,000 bytes
  // shortened.
  void Add(std::vector<std::string> cells);
  bool empty() const { return cells_.rows.empty(); }
  // Every line ends with a newline and has no trailing spaces. `columns`: FitTable's; 0: as wide as it is.
  std::string ToText(size_t columns = 0) const;

 private:
  friend size_t PrintTable(const std::vector<std::string>& headers, size_t columns, const EachTableRow& each);
  TableCells cells_;
};

// Prints what a Table of these headers and rows would give, nothing where there are none. Returns the number of rows.
// Where no terminal limits the columns `each` is called twice, for the widths and for the lines, and no row is held.
size_t PrintTable(const std::vector<std::string>& headers, size_t columns, const EachTableRow& each);

}  // namespace hone
