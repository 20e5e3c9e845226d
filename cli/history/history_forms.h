// A history as people and programs read it; docs/formats.md, "History".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/diff_records.h"
#include "cli/history/bench_history.h"
#include "core/serialize.h"

namespace hone {

inline constexpr int kHistoryVersion = 1;

// From bench results the one, from records the other is empty.
struct History {
  int64_t since_ms = 0;
  std::vector<HistorySeries> series;
  std::vector<RecordDiff> diffs;
  bool empty() const { return series.empty() && diffs.empty(); }
};

Json ToJson(const History& history);
// Of each series the verdict and the change points; of records a table of what changed, within `columns` as Table has
// it.
std::string HistoryText(const History& history, size_t columns = 0);

// "2026-11-22" in UTC.
std::string DayText(int64_t unix_ms);
// "3.1 % slower", "0.4 % faster", "no change".
std::string ChangeText(double ratio);

// The parts that `hone log diff` prints too.
Json DiffsJson(const std::vector<RecordDiff>& diffs);
std::string DiffsText(const std::vector<RecordDiff>& diffs, size_t columns = 0);

}  // namespace hone
