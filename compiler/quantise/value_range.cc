#include "compiler/quantise/value_range.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

}  // namespace hone
