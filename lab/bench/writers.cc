#include "lab/bench/writers.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/text/spelling.h"
#include "lab/files/read_file.h"
#include "lab/files/write_file.h"

namespace hone {
namespace {

std::string Names() {
  std::string names;
  for (const BenchWriter& writer : BenchWriters()) names += fmt::format("{}{}", names.empty() ? "" : ", ", writer.name);
  return names;
}

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n') + 1); }

// The file's new contents.
std::string Grown(const std::string& path, const std::string& text) {
  if (!IsThere(path)) return text;
  const std::string old = ReadFile(path, InputFile::Use::kOwnOutput);
  if (old.empty()) return text;
  if (FirstLine(old) != FirstLine(text)) {
    throw Error(ExitCode::kBadData, fmt::format("{} has other columns than this run; give another file", path));
  }
  return old + (old.back() == '\n' ? "" : "\n") + text.substr(FirstLine(text).size());
}

}  // namespace

const std::vector<BenchWriter>& BenchWriters() {
  static const std::vector<BenchWriter> writers = {
      {"json", "google/benchmark's schema and all that is known; what --baseline reads", BenchJson},
      {"csv", "a line per package", BenchCsv},
      {"markdown", "a table for a pull request", BenchMarkdown},
      {"hyperfine", "hyperfine's JSON, for its plotting scripts", BenchHyperfine},
      {"otava", "Apache Otava's CSV; the file grows by a line", BenchOtava, true},
      {"mlperf-system", "the system's description in MLPerf's terms", BenchSystem},
  };
  return writers;
}

const BenchWriter& BenchWriterOf(std::string_view name) {
  std::vector<std::string> names;
  for (const BenchWriter& writer : BenchWriters()) {
    if (writer.name == name) return writer;
    names.emplace_back(writer.name);
  }
  throw Error(ExitCode::kUsage,
              fmt::format("--write: no format {}{}; {} are right", name, DidYouMean(name, names), Names()));
}

BenchFile ParseBenchFile(const std::string& text) {
  const size_t at = text.find('=');
  if (at == std::string::npos || at + 1 == text.size())
    throw Error(ExitCode::kUsage, fmt::format("--write {}: FORMAT=FILE would be right, as json=times.json", text));
  return {&BenchWriterOf(text.substr(0, at)), text.substr(at + 1)};
}

void WriteBenchFile(const BenchFile& file, const BenchResult& result) {
  const std::string text = file.writer->write(result);
  WriteFileAtomically(file.path, file.writer->appends ? Grown(file.path, text) : text);
}

std::string BenchJson(const BenchResult& result) { return DumpJson(ToJson(result)) + "\n"; }

}  // namespace hone
