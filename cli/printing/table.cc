#include "cli/printing/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/printable.h"

namespace hone {
namespace {

constexpr size_t kMostCellBytes = 1000;

std::string Line(const std::vector<std::string>& cells, const std::vector<size_t>& widths,
                 const std::vector<bool>& right) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += "  ";
    line += right[i] ? fmt::format("{:>{}}", cells[i], widths[i]) : fmt::format("{:<{}}", cells[i], widths[i]);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

Table::Table(std::vector<std::string> headers) : headers_(std::move(headers)) {
  for (std::string& header : headers_) {
    right_.push_back(header.rfind("> ", 0) == 0);
    if (right_.back()) header.erase(0, 2);
  }
}

void Table::Add(std::vector<std::string> cells) {
  if (cells.size() > headers_.size()) throw Error(ExitCode::kBug, "a table's row has more cells than it has columns");
  cells.resize(headers_.size());
  for (std::string& cell : cells) cell = Printable(Shortened(cell, kMostCellBytes));
  rows_.push_back(std::move(cells));
}

std::string Table::ToText() const {
  std::vector<size_t> widths;
  for (const std::string& header : headers_) widths.push_back(header.size());
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text = Line(headers_, widths, right_);
  for (const auto& row : rows_) text += Line(row, widths, right_);
  return text;
}

}  // namespace hone
