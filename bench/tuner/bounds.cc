#include "bench/tuner/bounds.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <vector>

#include "core/error.h"
#include "core/text/parse_number.h"

namespace hone::bench {
namespace {

std::string Trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

std::vector<std::string> Cells(std::string_view line) {
  std::vector<std::string> cells;
  for (const std::string_view cell : Split(line, '|')) cells.push_back(Trimmed(cell));
  cells.erase(cells.begin());
  if (!cells.empty() && cells.back().empty()) cells.pop_back();
  return cells;
}

// A row's name may be written as code, in backticks.
std::string Plain(std::string name) {
  std::erase(name, '`');
  return name;
}

bool IsHeading(const std::string& line, std::string_view name) {
  return line.starts_with('#') && Trimmed(std::string_view(line).substr(line.find_first_not_of('#'))) == name;
}

bool IsFrame(const std::vector<std::string>& cells) {
  return cells.empty() || cells[0] == "row" || cells[0].find_first_not_of("-: ") == std::string::npos;
}

}  // namespace

Bounds ReadBounds(std::istream& page) {
  Bounds bounds;
  bool inside = false;
  std::string line;
  for (int number = 1; std::getline(page, line); ++number) {
    if (line.starts_with('#')) inside = IsHeading(line, "Bounds");
    if (!inside || !line.starts_with('|')) continue;
    const std::vector<std::string> cells = Cells(line);
    if (IsFrame(cells)) continue;
    char* end = nullptr;
    const double reached = cells.size() == 3 ? std::strtod(cells[1].c_str(), &end) : 0;
    if (cells.size() != 3 || cells[1].empty() || *end != '\0' || cells[2].empty()) {
      throw Error(ExitCode::kBadData, fmt::format("line {}: a row of the bounds is | row | number | bound |", number));
    }
    bounds[Plain(cells[0])] = {reached, cells[2]};
  }
  return bounds;
}

Bounds ReadBounds(const std::string& path) {
  std::ifstream page(path);
  if (!page) throw Error(ExitCode::kNoInput, fmt::format("no page of bounds at {}", path));
  return ReadBounds(page);
}

}  // namespace hone::bench
