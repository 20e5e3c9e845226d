#include "core/stats/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/stats/sample_statistics.h"

namespace hone {
namespace {

size_t Rank(double share, size_t n) {
  return std::min(n - 1, static_cast<size_t>(share * static_cast<double>(n - 1) + 0.5));
}

}  // namespace

Statistics StatisticsOf(std::vector<int64_t> samples_ns) {
  Statistics s;
  if (samples_ns.empty()) return s;
  std::sort(samples_ns.begin(), samples_ns.end());
  const size_t n = samples_ns.size();
  s.min_ns = samples_ns.front();
  s.p10_ns = samples_ns[Rank(0.1, n)];
  s.p90_ns = samples_ns[Rank(0.9, n)];
  s.p99_ns = samples_ns[Rank(0.99, n)];
  const MedianInterval median = MedianOf(std::move(samples_ns));
  s.median_ns = median.median;
  s.median_low_ns = median.low;
  s.median_high_ns = median.high;
  return s;
}

double Mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double StandardDeviation(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double mean = Mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

}  // namespace hone
