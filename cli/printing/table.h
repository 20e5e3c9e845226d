// Text tables for people.
#pragma once

#include <string>
#include <vector>

#include "cli/printing/fit_table.h"

namespace hone {

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
  TableCells cells_;
};

}  // namespace hone
