#include "lab/text/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/text/printable.h"
#include "lab/text/print.h"

namespace hone {
namespace {

using Row = std::vector<std::string>;
using Widths = std::vector<size_t>;

constexpr size_t kGap = 2;

std::vector<std::string> WordsBetweenBlanks(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char letter : text) {
    if (letter == ' ') {
      words.emplace_back();
    } else {
      words.back() += letter;
    }
  }
  return words;
}

}  // namespace

std::vector<std::string> Wrapped(const std::string& text, size_t width) {
  if (text.size() <= width) return {text};
  std::vector<std::string> lines(1);
  for (const std::string& word : WordsBetweenBlanks(text)) {
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
  }
  return lines;
}

namespace {

// The width of each column, and the gap between columns.
struct TableFrame {
  Widths widths;
  size_t gap = kGap;
  size_t Sum() const {
    size_t sum = 0;
    for (const size_t width : widths) sum += width + gap;
    return widths.empty() ? 0 : sum - gap;
  }
};

std::string Line(const Row& cells, const TableFrame& frame, const std::vector<bool>& right) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += std::string(frame.gap, ' ');
    const size_t width = frame.widths[i];
    line += right[i] ? fmt::format("{:>{}}", cells[i], width) : fmt::format("{:<{}}", cells[i], width);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string Lines(const Row& cells, const TableFrame& frame, const std::vector<bool>& right) {
  std::vector<std::vector<std::string>> wrapped;
  size_t most = 1;
  for (size_t i = 0; i < cells.size(); ++i) {
    wrapped.push_back(Wrapped(cells[i], frame.widths[i]));
    most = std::max(most, wrapped.back().size());
  }
  std::string text;
  for (size_t n = 0; n < most; ++n) {
    Row line;
    for (const auto& lines : wrapped) line.push_back(n < lines.size() ? lines[n] : "");
    text += Line(line, frame, right);
  }
  return text;
}

Widths Whole(const TableCells& cells) {
  Widths widths;
  for (const std::string& header : cells.headers) widths.push_back(header.size());
  for (const Row& row : cells.rows) {
    for (size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  return widths;
}

size_t LongestLine(const std::string& text, size_t width) {
  size_t most = 0;
  for (const std::string& line : Wrapped(text, width)) most = std::max(most, line.size());
  return most;
}

// The column's next smaller width, at which more words wrap; the present width if none can. A number stays with its
// unit.
size_t NextWidth(const TableCells& cells, size_t column, size_t width) {
  size_t next = LongestLine(cells.headers[column], width - 1);
  for (const Row& row : cells.rows) {
    const std::string& cell = row[column];
    next = std::max(next, cells.right[column] ? cell.size() : LongestLine(cell, width - 1));
  }
  return std::min(next, width);
}

// Moves the last column into lines below the rows, before those of columns moved earlier.
void FoldLastColumn(TableCells& cells, std::vector<std::string>& below) {
  for (size_t row = 0; row < cells.rows.size(); ++row) {
    const std::string& cell = cells.rows[row].back();
    if (!cell.empty()) below[row] = fmt::format("  {}: {}\n", cells.headers.back(), cell) + below[row];
    cells.rows[row].pop_back();
  }
  cells.headers.pop_back();
  cells.right.pop_back();
}

// The widest column that can become narrower; the number of columns if none can.
size_t WidestToNarrow(const TableCells& cells, const Widths& widths) {
  size_t widest = widths.size();
  for (size_t i = 0; i < widths.size(); ++i) {
    if (widths[i] == 0 || (widest < widths.size() && widths[i] <= widths[widest])) continue;
    if (NextWidth(cells, i, widths[i]) < widths[i]) widest = i;
  }
  return widest;
}

TableFrame Narrowed(const TableCells& cells, size_t columns, size_t gap) {
  TableFrame frame{Whole(cells), gap};
  while (frame.Sum() > columns) {
    const size_t widest = WidestToNarrow(cells, frame.widths);
    if (widest == frame.widths.size()) break;
    frame.widths[widest] = NextWidth(cells, widest, frame.widths[widest]);
  }
  return frame;
}

std::string Drawn(const TableCells& cells, const TableFrame& frame, const std::vector<std::string>& below) {
  std::string text = Lines(cells.headers, frame, cells.right);
  for (size_t row = 0; row < cells.rows.size(); ++row) text += Lines(cells.rows[row], frame, cells.right) + below[row];
  return text;
}

}  // namespace

std::string TableLine(const Row& cells, const Widths& widths, const std::vector<bool>& right) {
  return Line(cells, {widths}, right);
}

std::string DrawTable(const TableCells& cells) {
  return Drawn(cells, {Whole(cells)}, std::vector<std::string>(cells.rows.size()));
}

std::string FitTable(TableCells cells, size_t columns) {
  std::vector<std::string> below(cells.rows.size());
  while (cells.headers.size() > 1 && !cells.right.back() && TableFrame{Whole(cells)}.Sum() > columns)
    FoldLastColumn(cells, below);
  const TableFrame frame = Narrowed(cells, columns, kGap);
  return Drawn(cells, frame.Sum() > columns ? Narrowed(cells, columns, 1) : frame, below);
}

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

std::string CsvCell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string MarkdownCell(const std::string& text) {
  std::string escaped;
  for (const char c : Printable(text)) {
    if (std::string_view("\\`*_{}[]<>()#+!|&~").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

}  // namespace hone
