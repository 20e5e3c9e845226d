#include "core/stats/sample_statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

namespace hone {
namespace {

constexpr size_t kMostExact = 25;

struct Ranked {
  double u = 0;
  double ties = 0;  // the sum of t^3 - t over groups of t equal values
};

Ranked Rank(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  std::vector<std::pair<int64_t, bool>> all;  // value, whether it is a's
  all.reserve(a.size() + b.size());
  for (int64_t value : a) all.emplace_back(value, true);
  for (int64_t value : b) all.emplace_back(value, false);
  std::sort(all.begin(), all.end());
  Ranked ranked;
  double b_before = 0;
  for (size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    double of_a = 0, of_b = 0;
    for (; end < all.size() && all[end].first == all[begin].first; ++end) ++(all[end].second ? of_a : of_b);
    const double b_after = static_cast<double>(b.size()) - b_before - of_b;
    ranked.u += of_a * (b_after + of_b / 2);
    const double tied = of_a + of_b;
    ranked.ties += tied * tied * tied - tied;
    b_before += of_b;
  }
  return ranked;
}

double ExactP(double u, size_t n, size_t m) {
  const std::vector<double> counts = ArrangementsByU(n, m);
  const auto least = static_cast<size_t>(std::min(u, static_cast<double>(n * m) - u));
  double tail = 0, all = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    all += counts[i];
    if (i <= least) tail += counts[i];
  }
  return std::min(1.0, 2 * tail / all);
}

double NormalP(const Ranked& ranked, double n, double m) {
  const double both = n + m;
  const double variance = n * m / 12 * (both + 1 - ranked.ties / (both * (both - 1)));
  if (variance <= 0) return 1;
  const double distance = std::max(0.0, std::abs(ranked.u - n * m / 2) - 0.5);
  return std::erfc(distance / std::sqrt(2 * variance));
}

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

// The recursion of Mann and Whitney, section 3: the largest value belongs to one sample or to the other.
std::vector<double> ArrangementsByU(size_t n, size_t m) {
  std::vector<std::vector<double>> of(m + 1, std::vector<double>(n * m + 1, 0));
  for (auto& counts : of) counts[0] = 1;
  for (size_t i = 1; i <= n; ++i) {
    for (size_t j = 1; j <= m; ++j) {
      for (size_t u = i * j; u >= j; --u) of[j][u] = of[j][u - j];
      for (size_t u = 0; u < j; ++u) of[j][u] = 0;
      for (size_t u = 0; u <= i * (j - 1); ++u) of[j][u] += of[j - 1][u];
    }
  }
  return of[m];
}

RankTest MannWhitney(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  if (a.empty() || b.empty()) return {};
  const Ranked ranked = Rank(a, b);
  const bool exact = ranked.ties == 0 && std::max(a.size(), b.size()) <= kMostExact;
  const double p = exact ? ExactP(ranked.u, a.size(), b.size())
                         : NormalP(ranked, static_cast<double>(a.size()), static_cast<double>(b.size()));
  return {ranked.u, p};
}

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
