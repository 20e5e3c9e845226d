#include "core/stats/median_interval.h"

#include <algorithm>
#include <cmath>

namespace hone {

MedianInterval MedianOf(std::vector<int64_t> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  const size_t n = samples.size();
  // The number of samples below the median is binomial(n, 1/2). The ranks, counted from 1, enclose it in 95 of 100
  // cases.
  const double half_width = 1.96 * std::sqrt(static_cast<double>(n));
  const double low = std::floor((static_cast<double>(n) - half_width) / 2);
  const double high = std::ceil(1 + (static_cast<double>(n) + half_width) / 2);
  return {samples[n / 2], samples[static_cast<size_t>(std::max(low, 1.0)) - 1],
          samples[std::min(static_cast<size_t>(high), n) - 1]};
}

}  // namespace hone
