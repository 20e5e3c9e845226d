// Prints a history for people and programs; docs/reference/formats.md, "History".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/json/serialize.h"
#include "lab/history/bench_history.h"
#include "lab/records/diff_records.h"

namespace hone {

inline constexpr int kHistoryVersion = 1;

// A history of bench results (`series`) or of records (`diffs`); the other list is empty.
struct History {
  int64_t since_ms = 0;
  std::vector<HistorySeries> series;
  std::vector<RecordDiff> diffs;
  bool empty() const { return series.empty() && diffs.empty(); }
};

Json ToJson(const History& history);
// For each series the verdict and the change points; for records a table of changes. `columns` is a width, as in Table.
std::string HistoryText(const History& history, size_t columns = 0);

// "2026-11-22" in UTC.
std::string DayText(int64_t unix_ms);
// "3.1 % slower", "0.4 % faster", "no change".
std::string ChangeText(double ratio);

// Parts that `hone log diff` prints, too.
Json DiffsJson(const std::vector<RecordDiff>& diffs);
std::string DiffsText(const std::vector<RecordDiff>& diffs, size_t columns = 0);

}  // namespace hone
