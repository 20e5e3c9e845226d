// Text tables, also fitted to terminals that are narrower than the table, and cells of CSV and Markdown.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace hone {

// Rows with a cell for each header; columns of `right` are aligned to the right.
struct TableCells {
  std::vector<std::string> headers;
  std::vector<bool> right;
  std::vector<std::vector<std::string>> rows;
};

// Splits a text into lines of at most `width`, except for longer words; at least one line.
std::vector<std::string> Wrapped(const std::string& text, size_t width);

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

// Calls `row` with the cells of each row; every call gives the same rows.
using EachTableRow = std::function<void(const std::function<void(std::vector<std::string> cells)>& row)>;

// A table whose columns are as wide as their widest cell and two spaces apart. A header with a leading '>' aligns its
// column to the right ("> time").
class Table {
 public:
  explicit Table(std::vector<std::string> headers);
  // Missing cells are empty; more cells than headers are a bug of hone. Cells are made printable, and shortened if
  // longer than 1,000 bytes.
  void Add(std::vector<std::string> cells);
  bool empty() const { return cells_.rows.empty(); }
  // Every line ends with a newline and has no trailing spaces. `columns` is as for FitTable; 0: unlimited.
  std::string ToText(size_t columns = 0) const;

 private:
  friend size_t PrintTable(const std::vector<std::string>& headers, size_t columns, const EachTableRow& each);
  TableCells cells_;
};

// Prints the text of a Table with these headers and rows, or nothing if there are no rows. Returns the number of rows.
// Without a terminal that limits the columns, `each` is called twice, for the widths and the lines, and no row is held.
size_t PrintTable(const std::vector<std::string>& headers, size_t columns, const EachTableRow& each);

// A cell of a CSV file, quoted as in RFC 4180 where necessary.
std::string CsvCell(const std::string& text);
// Text from outside as a cell or an item of Markdown, escaped so that it is no markup and does not end the cell.
std::string MarkdownCell(const std::string& text);

}  // namespace hone
