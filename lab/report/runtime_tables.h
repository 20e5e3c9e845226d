// Tables of machines by runtimes, drawn from what `hone compare --measure --runtime --json` prints.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/json/serialize.h"

namespace hone {

struct RuntimeCell {
  std::string runtime;                      // as it was asked for
  int64_t ns = 0, low_ns = 0, high_ns = 0;  // the median of a run and its 95 % interval; 0: not timed
  std::string precision;                    // of its products
  double error = 0;                         // the largest of an output
  double price_per_million = 0;             // images; 0: no price was given
  bool fastest = false, doubtful = false;   // by the test; whether nobody can tell that its outputs are right
};

struct RuntimeRow {
  std::string machine;
  std::vector<RuntimeCell> cells;  // those of the first row's runtimes
  std::vector<std::string> notes;  // lines on faults and verdicts
};

// One model's; there is at least one row.
struct RuntimeTable {
  std::string model;
  std::vector<RuntimeRow> rows;
};

// Reads docs/reference/cli.md's document of `hone compare --measure --runtime`. Throws Error(kBadData) for another one.
std::vector<RuntimeTable> ReadRuntimeTables(const Json& document);

// A table for each model: a row is a machine. A cell has the median time, precision and error, and the price. The
// fastest of a row is marked if the test says so. The notes follow.
std::string ToText(const std::vector<RuntimeTable>& tables, size_t columns = 0);
// A section of a page for each model, with a chart of the times.
std::string HtmlSections(const std::vector<RuntimeTable>& tables);

}  // namespace hone
