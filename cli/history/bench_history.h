// What a model's times did over many saved bench results: when they changed, by how much, and what changed with them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/bench/verdict.h"
#include "cli/comparison/comparison.h"
#include "cli/diff_records.h"

namespace hone {

// One package's time in one result.
struct HistoryPoint {
  int64_t unix_ms = 0;  // the result's date
  ComparedTime time;    // of a run: the median and its 95 % interval
  std::string file;     // that it was read from
  TimedWith with;
  std::string why_noisy;  // one line; empty: nothing speaks against the time
};

struct HistoryChange {
  size_t at = 0;     // place in `points` of the first one of the new level
  double p = 1;      // see change_points.h
  double ratio = 1;  // the new level's median over the old one's
  int64_t before_ns = 0, after_ns = 0;
  std::vector<std::string> what;  // that differs between the points on both sides: "hone 0.1.0 -> 0.2.0"
};

// One model in one setup, by date.
struct HistorySeries {
  std::string model, device;  // device as DeviceName
  int threads = 1;
  std::string precision, conditions;  // "alone", "turns", "alone, on a runner"
  std::vector<HistoryPoint> points;   // noisy ones too; whatever is found is found without them, unless accepted
  int noisy = 0;                      // points that were left out
  std::vector<HistoryChange> changes;
  std::optional<Verdict> since;  // of the points since the day against those before; none where one side has none
};

// A saved bench result's packages. Throws Error as ReadBenchResult does, and kBadData for a result without a date.
struct DatedResult {
  std::string file;
  std::string_view json;  // while the call lasts
};

// In the order of their first points. Times are of one series when they are of one model, machine (by fingerprint),
// threads, precision, images and conditions; where one result has several of these, by their packages' names too.
// `since_ms`: the day, in ms since 1970. `accept_noisy`: noisy times count like others.
std::vector<HistorySeries> BenchHistory(const std::vector<DatedResult>& results, int64_t since_ms, bool accept_noisy);

}  // namespace hone
