#include "core/stats/mann_whitney.h"

#include <algorithm>
#include <cmath>
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

}  // namespace hone
