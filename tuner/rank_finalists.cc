#include "tuner/rank_finalists.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/stats/mann_whitney.h"

namespace hone {
namespace {

constexpr double kSignificance = 0.05;
constexpr double kLeastGain = 0.01;

Standing Against(const std::vector<int64_t>& incumbent, const std::vector<int64_t>& challenger, size_t challengers) {
  Standing standing;
  standing.ns = MedianOf(challenger);
  standing.p = std::min(1.0, MannWhitney(challenger, incumbent).p * static_cast<double>(challengers));
  standing.gain = 1 - static_cast<double>(standing.ns.median) / static_cast<double>(MedianOf(incumbent).median);
  standing.differs = standing.p < kSignificance && std::abs(standing.gain) >= kLeastGain;
  return standing;
}

}  // namespace

FinalsVerdict RankFinalists(const std::vector<std::vector<int64_t>>& least_ns, size_t incumbent) {
  FinalsVerdict verdict;
  verdict.winner = incumbent;
  for (size_t f = 0; f < least_ns.size(); ++f) {
    Standing standing;
    standing.ns = MedianOf(least_ns[f]);
    if (f != incumbent) standing = Against(least_ns[incumbent], least_ns[f], least_ns.size() - 1);
    verdict.standings.push_back(standing);
  }
  const std::vector<Standing>& all = verdict.standings;
  for (size_t f = 0; f < all.size(); ++f) {
    const bool better = all[f].differs && all[f].gain > 0;
    if (better && all[f].ns.median < all[verdict.winner].ns.median) verdict.winner = f;
  }
  std::vector<size_t> order(all.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if ((a == verdict.winner) != (b == verdict.winner)) return a == verdict.winner;
    return all[a].ns.median < all[b].ns.median;
  });
  for (size_t i = 0; i < order.size(); ++i) verdict.standings[order[i]].place = static_cast<int>(i) + 1;
  return verdict;
}

}  // namespace hone
