#include "cli/printing/table.h"

#include "core/error.h"
#include "core/printable.h"

namespace hone {
namespace {

constexpr size_t kMostCellBytes = 1000;

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

std::string Table::ToText(size_t columns) const { return columns > 0 ? FitTable(cells_, columns) : DrawTable(cells_); }

}  // namespace hone
