#include "core/stats/shift.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "core/stats/mann_whitney.h"

namespace hone {
namespace {

// The number of subsets of `numbers` that have each sum.
std::vector<double> SetsBySum(const std::vector<size_t>& numbers) {
  std::vector<double> sets(std::accumulate(numbers.begin(), numbers.end(), size_t{1}), 0);
  sets[0] = 1;
  for (const size_t number : numbers) {
    for (size_t sum = sets.size(); sum-- > number;) sets[sum] += sets[sum - number];
  }
  return sets;
}

// The share of the counts at indices up to `last`.
double ShareUpTo(const std::vector<double>& counts, size_t last) {
  const auto end = counts.begin() + static_cast<std::ptrdiff_t>(std::min(last + 1, counts.size()));
  return std::accumulate(counts.begin(), end, 0.0) / std::accumulate(counts.begin(), counts.end(), 0.0);
}

// The number of values that an interval of order statistics leaves out at each end. `counts` says how often the
// statistic that counts them takes each value. Negative if even the whole range has less confidence.
std::ptrdiff_t LeftOut(const std::vector<double>& counts, double confidence) {
  const double tail = (1 - confidence) / 2 * std::accumulate(counts.begin(), counts.end(), 0.0);
  double below = 0;
  std::ptrdiff_t places = 0;
  for (; places < static_cast<std::ptrdiff_t>(counts.size()); ++places) {
    below += counts[static_cast<size_t>(places)];
    if (below > tail) break;
  }
  return places - 1;
}

double MedianOfSorted(const std::vector<double>& sorted) {
  const size_t n = sorted.size();
  return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

Shift ShiftAmong(std::vector<double> values, const std::vector<double>& counts, double confidence) {
  std::sort(values.begin(), values.end());
  const std::ptrdiff_t left_out = LeftOut(counts, confidence);
  const auto skip = static_cast<size_t>(std::max<std::ptrdiff_t>(left_out, 0));
  return {MedianOfSorted(values), values[skip], values[values.size() - 1 - skip], left_out >= 0};
}

// Twice the rank of each value, so that the mean rank of equal values is an integer.
std::vector<size_t> DoubledRanks(const std::vector<double>& sorted) {
  std::vector<size_t> ranks;
  for (size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
    while (end < sorted.size() && sorted[end] == sorted[begin]) ++end;
    ranks.resize(end, begin + 1 + end);
  }
  return ranks;
}

}  // namespace

Shift ShiftOfPairs(const std::vector<double>& differences, double confidence) {
  if (differences.empty()) return {};
  std::vector<double> means;
  for (size_t i = 0; i < differences.size(); ++i) {
    for (size_t j = i; j < differences.size(); ++j) means.push_back((differences[i] + differences[j]) / 2);
  }
  std::vector<size_t> ranks(differences.size());
  std::iota(ranks.begin(), ranks.end(), size_t{1});
  return ShiftAmong(std::move(means), SetsBySum(ranks), confidence);
}

Shift ShiftOfSamples(const std::vector<double>& a, const std::vector<double>& b, double confidence) {
  if (a.empty() || b.empty()) return {};
  std::vector<double> differences;
  for (const double x : a) {
    for (const double y : b) differences.push_back(y - x);
  }
  return ShiftAmong(std::move(differences), ArrangementsByU(a.size(), b.size()), confidence);
}

double SignedRankP(const std::vector<double>& differences) {
  std::vector<double> sorted;
  std::copy_if(differences.begin(), differences.end(), std::back_inserter(sorted), [](double d) { return d != 0; });
  if (sorted.empty()) return 1;
  std::sort(sorted.begin(), sorted.end(), [](double x, double y) { return std::abs(x) < std::abs(y); });
  std::vector<double> sizes;
  for (const double d : sorted) sizes.push_back(std::abs(d));
  const std::vector<size_t> ranks = DoubledRanks(sizes);
  size_t positive = 0, all = 0;
  for (size_t i = 0; i < ranks.size(); ++i) {
    all += ranks[i];
    if (sorted[i] > 0) positive += ranks[i];
  }
  return std::min(1.0, 2 * ShareUpTo(SetsBySum(ranks), std::min(positive, all - positive)));
}

}  // namespace hone
