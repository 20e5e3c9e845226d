// The forms in which a benchmark's result is written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/bench/bench_result.h"

namespace hone {

struct BenchWriter {
  std::string_view name;     // as --write takes it
  std::string_view summary;  // who reads it
  std::string (*write)(const BenchResult& result);
  // Whether a file grows by what lies behind the first line, when its first line is the same; else it is replaced.
  bool appends = false;
};

// json, csv, markdown, hyperfine, otava, mlperf-system.
const std::vector<BenchWriter>& BenchWriters();
// Throws Error(kUsage) with the nearest name.
const BenchWriter& BenchWriterOf(std::string_view name);

// "FORMAT=FILE" as --write takes it; throws Error(kUsage) on anything else.
struct BenchFile {
  const BenchWriter* writer = nullptr;
  std::string path;
};
BenchFile ParseBenchFile(const std::string& text);
// Throws Error as WriteFileAtomically does, and kBadData where a file to be appended to has other columns.
void WriteBenchFile(const BenchFile& file, const BenchResult& result);

// google/benchmark's JSON with hone's own fields: docs/formats.md, "Bench result".
std::string BenchJson(const BenchResult& result);
// A header and a line per package.
std::string BenchCsv(const BenchResult& result);
// A table, the verdicts and the machine, for a pull request.
std::string BenchMarkdown(const BenchResult& result);
// As hyperfine's --export-json writes it: a result per package, a time per round, in seconds.
std::string BenchHyperfine(const BenchResult& result);
// A header and one line, for Apache Otava's CSV importer: the columns of two runs of one command are the same.
std::string BenchOtava(const BenchResult& result);
// The system's description in MLPerf Inference's terms.
std::string BenchSystem(const BenchResult& result);

}  // namespace hone
