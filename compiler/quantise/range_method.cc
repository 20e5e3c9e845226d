#include "compiler/quantise/range_method.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/error.h"
#include "core/spelling.h"

namespace hone {
namespace {

using Counts = std::vector<int64_t>;

// The first i at which at least `share` of all lies in the first i + 1 counts.
size_t QuantileBin(const Counts& counts, double share) {
  const auto all = static_cast<double>(std::accumulate(counts.begin(), counts.end(), int64_t{0}));
  double seen = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    seen += static_cast<double>(counts[i]);
    if (seen > share * all) return i;
  }
  return counts.size() - 1;
}

ValueRange PercentileRange(const ValueHistogram& histogram, double percentile) {
  const double cut = (100 - percentile) / 200;
  Counts mirrored(histogram.counts().rbegin(), histogram.counts().rend());
  const auto from_low = static_cast<double>(QuantileBin(histogram.counts(), cut));
  const auto from_high = static_cast<double>(QuantileBin(mirrored, cut));
  const ValueRange& all = histogram.range();
  return {std::min(0.0, all.low + from_low * histogram.bin_width()),
          std::max(0.0, all.high - from_high * histogram.bin_width())};
}

// Ranges narrower than a twentieth are never the best: what is cut costs more than finer steps gain.
constexpr int kShares = 200, kLeastShare = 10;

template <typename Score>
ValueRange LeastScore(const ValueRange& from, bool low, bool high, const Score& score) {
  ValueRange best = from;
  double least = score(from);
  for (int i = kShares - 1; i >= kLeastShare; --i) {
    const double share = static_cast<double>(i) / kShares;
    const ValueRange range{low ? from.low * share : from.low, high ? from.high * share : from.high};
    const double got = score(range);
    if (got < least) {
      least = got;
      best = range;
    }
  }
  return best;
}

// Both ends together, then each alone: a tail on one side is cut there.
template <typename Score>
ValueRange LeastScore(const ValueHistogram& histogram, const Score& score) {
  const ValueRange both = LeastScore(histogram.range(), true, true, score);
  const ValueRange upper = LeastScore(both, false, true, score);
  return LeastScore(upper, true, false, score);
}

constexpr int kLevels = 256;

// Kullback-Leibler divergence of what bytes over the range keep from what is there. The counts beyond the range belong
// to the bins at its ends in what is there, and are not in what bytes keep:
//
//   there   | cut -> |#|  .  :  |  #  | <- cut |        a level of a byte is a few bins, and spreads its count
//   kept             |.|  .  :  |  .  |                 evenly over those of them that are not empty
double Divergence(const ValueHistogram& histogram, const ValueRange& range) {
  const Counts& counts = histogram.counts();
  const auto bin_of = [&](double value) {
    return static_cast<size_t>(std::llround((value - histogram.range().low) / histogram.bin_width()));
  };
  const size_t begin = bin_of(range.low), end = std::min(bin_of(range.high), counts.size());
  if (end < begin + kLevels) return std::numeric_limits<double>::infinity();
  std::vector<double> there(counts.begin() + static_cast<int64_t>(begin), counts.begin() + static_cast<int64_t>(end));
  std::vector<double> kept(there.size(), 0.0);
  const size_t size = there.size();
  for (size_t level = 0; level < kLevels; ++level) {
    const size_t first = level * size / kLevels, last = (level + 1) * size / kLevels;
    double sum = 0;
    int used = 0;
    for (size_t i = first; i < last; ++i) sum += there[i], used += there[i] > 0 ? 1 : 0;
    for (size_t i = first; i < last; ++i) kept[i] = there[i] > 0 ? sum / used : 0;
  }
  const auto total = [](auto from, auto to) { return static_cast<double>(std::accumulate(from, to, int64_t{0})); };
  there.front() += total(counts.begin(), counts.begin() + static_cast<int64_t>(begin));
  there.back() += total(counts.begin() + static_cast<int64_t>(end), counts.end());
  const double all = std::accumulate(there.begin(), there.end(), 0.0);
  const double left = std::accumulate(kept.begin(), kept.end(), 0.0);
  if (left == 0) return std::numeric_limits<double>::infinity();
  constexpr double kUnseen = 1e-9;  // of a bin that bytes do not keep: large, not infinite
  double divergence = 0;
  for (size_t i = 0; i < size; ++i) {
    const double p = there[i] / all, q = std::max(kept[i] / left, kUnseen);
    if (p > 0) divergence += p * std::log(p / q);
  }
  return divergence;
}

}  // namespace

const std::vector<std::string>& RangeMethodNames() {
  static const std::vector<std::string> names{"min-max", "percentile", "mse", "entropy"};
  return names;
}

RangeMethod ParseRangeMethod(std::string_view name) {
  const std::vector<std::string>& names = RangeMethodNames();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    throw Error(ExitCode::kUsage, fmt::format("there is no method \"{}\"; there are {}{}", name,
                                              fmt::join(names, ", "), DidYouMean(std::string(name), names)));
  }
  return static_cast<RangeMethod>(found - names.begin());
}

std::string_view RangeMethodName(RangeMethod method) { return RangeMethodNames().at(static_cast<size_t>(method)); }

double MeanSquaredError(const ValueHistogram& histogram, const ValueRange& range) {
  const ByteScale by = ByteScaleOf(range);
  const double scale = by.scale, zero_point = by.zero_point;
  double sum = 0, all = 0;
  for (size_t i = 0; i < histogram.counts().size(); ++i) {
    const auto count = static_cast<double>(histogram.counts()[i]);
    if (count == 0) continue;
    const double value = histogram.ValueOf(i);
    const double byte = std::clamp(std::nearbyint(value / scale) + zero_point, 0.0, 255.0);
    const double error = (byte - zero_point) * scale - value;
    sum += count * error * error;
    all += count;
  }
  return all == 0 ? 0 : sum / all;
}

ValueRange ChooseRange(const ValueHistogram& histogram, RangeMethod method, double percentile) {
  if (histogram.range().width() == 0) return histogram.range();
  switch (method) {
    case RangeMethod::kMinMax:
      return histogram.range();
    case RangeMethod::kPercentile:
      return PercentileRange(histogram, percentile);
    case RangeMethod::kMse:
      return LeastScore(histogram, [&](const ValueRange& range) { return MeanSquaredError(histogram, range); });
    case RangeMethod::kEntropy:
      return LeastScore(histogram, [&](const ValueRange& range) { return Divergence(histogram, range); });
  }
  return histogram.range();
}

}  // namespace hone
