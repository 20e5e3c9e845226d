// insert_rows FILE ROWS INTO: writes FILE with ROWS inserted as the file INTO. ROWS is text in blocks. Each has a line
// "@before TEXT", then the lines that go before the first line of FILE that contains TEXT.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

namespace {

std::vector<std::string> ReadLines(const char* path) {
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The index of the first line that contains the text; the number of lines if none does.
size_t FirstWith(const std::vector<std::string>& lines, const std::string& text) {
  size_t at = 0;
  while (at < lines.size() && lines[at].find(text) == std::string::npos) ++at;
  return at;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: insert_rows FILE ROWS INTO\n";
    return 64;
  }
  const std::string mark = "@before ";
  std::vector<std::string> lines = ReadLines(argv[1]);
  size_t at = lines.size();
  for (const std::string& row : ReadLines(argv[2])) {
    if (row.rfind(mark, 0) != 0) {
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at++), row);
      continue;
    }
    at = FirstWith(lines, row.substr(mark.size()));
    if (at == lines.size()) {
      std::cerr << argv[1] << " has no line with '" << row.substr(mark.size()) << "', which " << argv[2] << " names\n";
      return 65;
    }
  }
  std::ofstream out(argv[3]);
  for (const std::string& line : lines) out << line << "\n";
  return out.flush() ? 0 : 74;
}
