#include "compiler/quantise/range_method.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/error.h"
#include "core/text/spelling.h"

namespace hone {
namespace {

// Eight bins lie between one byte's value and the next.
constexpr size_t kBins = 2048;
constexpr double kSteps = 255;

}  // namespace

bool ValueRange::Add(const Tensor& values) {
  double least = low, most = high;
  for (int64_t i = 0; i < values.elements(); ++i) {
    const double value = values.At(i);
    if (!std::isfinite(value)) return false;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  low = least;
  high = most;
  return true;
}

void ValueRange::Add(const ValueRange& other) {
  low = std::min(low, other.low);
  high = std::max(high, other.high);
}

ByteScale ByteScaleOf(const ValueRange& range) {
  const auto scale = static_cast<float>(range.width() / kSteps);
  if (scale < std::numeric_limits<float>::min()) return {};
  const double zero_point = std::nearbyint(-range.low / static_cast<double>(scale));
  return {scale, static_cast<uint8_t>(std::clamp(zero_point, 0.0, kSteps))};
}

ValueHistogram::ValueHistogram(const ValueRange& range) : range_(range), counts_(kBins, 0) {}

void ValueHistogram::Add(const Tensor& values) {
  const double per_unit = range_.width() > 0 ? 1 / bin_width() : 0;
  const auto last = static_cast<double>(counts_.size() - 1);
  for (int64_t i = 0; i < values.elements(); ++i) {
    const double bin = std::clamp(std::floor((values.At(i) - range_.low) * per_unit), 0.0, last);
    ++counts_[static_cast<size_t>(bin)];
  }
}

namespace {

using Counts = std::vector<int64_t>;

// The first i for which the first i + 1 counts hold more than `share` of all.
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

// Ranges narrower than a twentieth are never the best: clipping costs more than finer steps gain.
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

// Cuts both ends together, then each separately, which clips a tail on one side.
template <typename Score>
ValueRange LeastScore(const ValueHistogram& histogram, const Score& score) {
  const ValueRange both = LeastScore(histogram.range(), true, true, score);
  const ValueRange upper = LeastScore(both, false, true, score);
  return LeastScore(upper, true, false, score);
}

constexpr size_t kLevels = 256;

// The count of the bin of 0 says nothing about a range, since every range keeps 0 exactly. Behind a relu it is most of
// the values. So it is limited to the larger count beside it.
std::vector<double> CountsBesideZero(const ValueHistogram& histogram) {
  std::vector<double> counts(histogram.counts().begin(), histogram.counts().end());
  const auto zero = std::min(static_cast<size_t>(-histogram.range().low / histogram.bin_width()), counts.size() - 1);
  const double before = zero > 0 ? counts[zero - 1] : 0, behind = zero + 1 < counts.size() ? counts[zero + 1] : 0;
  counts[zero] = std::min(counts[zero], std::max(before, behind));
  return counts;
}

double Sum(const std::vector<double>& counts, size_t begin, size_t end) {
  return std::accumulate(counts.begin() + static_cast<int64_t>(begin), counts.begin() + static_cast<int64_t>(end), 0.0);
}

// A byte's value stands for a few bins and spreads their total count evenly over those that are not empty.
std::vector<double> KeptByBytes(const std::vector<double>& there) {
  std::vector<double> kept(there.size(), 0.0);
  for (size_t level = 0; level < kLevels; ++level) {
    const size_t first = level * there.size() / kLevels, last = (level + 1) * there.size() / kLevels;
    double used = 0;
    for (size_t i = first; i < last; ++i) used += there[i] > 0 ? 1 : 0;
    const double mean = used > 0 ? Sum(there, first, last) / used : 0;
    for (size_t i = first; i < last; ++i) kept[i] = there[i] > 0 ? mean : 0;
  }
  return kept;
}

// The Kullback-Leibler divergence of the values as bytes keep them from the values as they were seen. Seen values
// beyond the range are added to the bins at its ends; the bytes' distribution does not contain them:
//
//   there   | cut -> |#|  .  :  |  #  | <- cut |     as seen
//   kept             |.|  .  :  |  .  |              as bytes keep it
double Divergence(const ValueHistogram& histogram, const std::vector<double>& counts, const ValueRange& range) {
  const auto bin_of = [&](double value) {
    const auto bin = std::llround((value - histogram.range().low) / histogram.bin_width());
    return std::min(static_cast<size_t>(bin), counts.size());
  };
  const size_t begin = bin_of(range.low), end = bin_of(range.high);
  if (end < begin + kLevels) return std::numeric_limits<double>::infinity();
  std::vector<double> there(counts.begin() + static_cast<int64_t>(begin), counts.begin() + static_cast<int64_t>(end));
  const std::vector<double> kept = KeptByBytes(there);
  there.front() += Sum(counts, 0, begin);
  there.back() += Sum(counts, end, counts.size());
  const double all = Sum(there, 0, there.size()), left = Sum(kept, 0, kept.size());
  if (left == 0) return std::numeric_limits<double>::infinity();
  constexpr double kUnseen = 1e-9;  // share of a bin that bytes do not keep: the result is large, not infinite
  double divergence = 0;
  for (size_t i = 0; i < there.size(); ++i) {
    const double p = there[i] / all, q = std::max(kept[i] / left, kUnseen);
    if (p > 0) divergence += p * std::log(p / q);
  }
  return divergence;
}

ValueRange EntropyRange(const ValueHistogram& histogram) {
  const std::vector<double> counts = CountsBesideZero(histogram);
  return LeastScore(histogram, [&](const ValueRange& range) { return Divergence(histogram, counts, range); });
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
    throw Error(ExitCode::kUsage, fmt::format("there is no method \"{}\"; there are {}{}", name, fmt::join(names, ", "),
                                              DidYouMean(std::string(name), names)));
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
      return EntropyRange(histogram);
  }
  return histogram.range();
}

}  // namespace hone
