// The formats in which a benchmark's result is written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/bench/bench_result.h"

namespace hone {

struct BenchWriter {
  std::string_view name;     // as given to --write
  std::string_view summary;  // purpose or reader
  std::string (*write)(const BenchResult& result);
  // Whether a file whose first line is the same is extended by the rest of the text; otherwise it is replaced.
  bool appends = false;
};

// All formats: json, csv, markdown, hyperfine, otava, mlperf-system.
const std::vector<BenchWriter>& BenchWriters();
// The format of this name. Throws Error(kUsage) with the nearest name if there is none.
const BenchWriter& BenchWriterOf(std::string_view name);

// "FORMAT=FILE" as given to --write. Parsing throws Error(kUsage) on anything else.
struct BenchFile {
  const BenchWriter* writer = nullptr;
  std::string path;
};
BenchFile ParseBenchFile(const std::string& text);
// Throws Error as WriteFileAtomically does, and kBadData if the file to append to has other columns.
void WriteBenchFile(const BenchFile& file, const BenchResult& result);

// google/benchmark's JSON with hone's own fields: docs/reference/formats.md, "Bench result".
std::string BenchJson(const BenchResult& result);
// A header and a line per package.
std::string BenchCsv(const BenchResult& result);
// A table, the verdicts and the machine, for a pull request.
std::string BenchMarkdown(const BenchResult& result);
// The form of hyperfine's --export-json: a result per package, a time per round, in seconds.
std::string BenchHyperfine(const BenchResult& result);
// A header and one line, for Apache Otava's CSV importer. Two runs of one command have the same columns.
std::string BenchOtava(const BenchResult& result);
// The system's description in MLPerf Inference's terms.
std::string BenchSystem(const BenchResult& result);

}  // namespace hone
