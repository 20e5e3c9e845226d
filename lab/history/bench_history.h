// A model's times over many saved bench results: when they changed, by how much, and what changed with them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/bench/verdict.h"
#include "lab/comparison/comparison.h"
#include "lab/records/diff_records.h"

namespace hone {

// One package's time in one result.
struct HistoryPoint {
  int64_t unix_ms = 0;  // the result's date
  ComparedTime time;    // of a run: the median and its 95 % confidence interval
  std::string file;     // file with the result
  TimedWith with;
  std::string why_noisy;  // one line; empty: not noisy
};

struct HistoryChange {
  size_t at = 0;     // index in `points` of the new level's first one
  double p = 1;      // see change_points.h
  double ratio = 1;  // the new level's median over the old one's
  int64_t before_ns = 0, after_ns = 0;
  std::vector<std::string> what;  // differences between the points on both sides: "hone 0.1.0 -> 0.2.0"
};

// One model in one setup, by date.
struct HistorySeries {
  std::string model, device;  // device as DeviceName
  int threads = 1;
  std::string precision, conditions;  // "alone", "turns", "alone, on a runner"
  std::vector<HistoryPoint> points;   // including noisy ones, which judgements ignore unless accepted
  int noisy = 0;                      // number of points ignored
  // Number of noisy points that count because most points are noisy: a machine that is never quiet still answers.
  int noisy_counted = 0;
  std::vector<HistoryChange> changes;
  std::optional<Verdict> since;  // verdict on the points since the day against those before; none if one side has none
};

// The packages of a saved bench result. Throws Error as ReadBenchResult does, and kBadData for a result without a date.
struct DatedResult {
  std::string file;
  std::string_view json;  // must outlive the call
};

// Series in the order of their first points. Times in one series agree in model, machine (by fingerprint), threads,
// precision, images and conditions. If one result has several such packages, their names distinguish them. `since_ms`
// is the day, in ms since 1970. With `accept_noisy`, and in a series whose points are mostly
// noisy, noisy times count like others.
std::vector<HistorySeries> BenchHistory(const std::vector<DatedResult>& results, int64_t since_ms, bool accept_noisy);

}  // namespace hone
