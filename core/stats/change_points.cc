#include "core/stats/change_points.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <utility>

namespace hone {
namespace {

constexpr size_t kLeastLevel = 3, kLeastValues = 8;
constexpr int kPermutations = 199;
constexpr uint64_t kSeed = 1;

struct SeriesSplit {
  size_t at = 0;  // values before the split
  double distance = 0;
};

// Evaluates all splits while the border moves to the right, one value v at a time:
//
//   left: within_left   | v | right: within_right      sums of |a - b| over the pairs inside a side,
//            between: pairs with one value on each side and over those across the border
//
// v's distances to the left leave `between` and join within_left; those to the right leave within_right and join it.
SeriesSplit FurthestSplit(std::span<const double> values) {
  const size_t n = values.size();
  double within_left = 0, within_right = 0, between = 0;
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = i + 1; j < n; ++j) within_right += std::abs(values[i] - values[j]);
  }
  SeriesSplit best;
  for (size_t v = 0; v + 1 < n; ++v) {
    double to_left = 0, to_right = 0;
    for (size_t i = 0; i < v; ++i) to_left += std::abs(values[i] - values[v]);
    for (size_t i = v + 1; i < n; ++i) to_right += std::abs(values[i] - values[v]);
    within_left += to_left;
    within_right -= to_right;
    between += to_right - to_left;
    const size_t at = v + 1;
    if (at < kLeastLevel || n - at < kLeastLevel) continue;
    const auto left = static_cast<double>(at), right = static_cast<double>(n - at);
    const double apart =
        2 * between / (left * right) - 2 * within_left / (left * (left - 1)) - 2 * within_right / (right * (right - 1));
    const double distance = left * right / (left + right) * apart;
    if (distance > best.distance) best = {at, distance};
  }
  return best;
}

double PermutationP(std::span<const double> values, double distance) {
  std::vector<double> shuffled(values.begin(), values.end());
  std::mt19937_64 random(kSeed);
  int as_far = 1;  // the observed order is one of them
  for (int i = 0; i < kPermutations; ++i) {
    for (size_t j = shuffled.size() - 1; j > 0; --j) std::swap(shuffled[j], shuffled[random() % (j + 1)]);
    if (FurthestSplit(shuffled).distance >= distance) ++as_far;
  }
  return static_cast<double>(as_far) / (kPermutations + 1);
}

double MedianOfValues(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

void SplitPart(std::span<const double> values, size_t begin, double most_p, std::vector<ChangePoint>& found) {
  if (values.size() < kLeastValues) return;
  const SeriesSplit split = FurthestSplit(values);
  if (split.at == 0) return;
  const double p = PermutationP(values, split.distance);
  if (p > most_p) return;
  SplitPart(values.first(split.at), begin, most_p, found);
  found.push_back({begin + split.at, p, 0, 0});
  SplitPart(values.subspan(split.at), begin + split.at, most_p, found);
}

}  // namespace

std::vector<ChangePoint> ChangePoints(const std::vector<double>& values, double most_p) {
  std::vector<ChangePoint> found;
  SplitPart(values, 0, most_p, found);
  const std::span<const double> all(values);
  for (size_t i = 0; i < found.size(); ++i) {
    const size_t begin = i == 0 ? 0 : found[i - 1].at;
    const size_t end = i + 1 == found.size() ? values.size() : found[i + 1].at;
    found[i].before = MedianOfValues(all.subspan(begin, found[i].at - begin));
    found[i].after = MedianOfValues(all.subspan(found[i].at, end - found[i].at));
  }
  return found;
}

}  // namespace hone
