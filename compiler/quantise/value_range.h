// The range of values, how often each was seen, and the bytes that stand for them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/tensor.h"

namespace hone {

// Always includes 0, so that a byte stands for 0 exactly and a border of zeros stays exact.
struct ValueRange {
  double low = 0;   // <= 0
  double high = 0;  // >= 0

  // Widens the range. Returns false, and widens nothing, if a value is not finite.
  bool Add(const Tensor& values);
  void Add(const ValueRange& other);
  double width() const { return high - low; }
  bool operator==(const ValueRange&) const = default;
};

// real = (byte - zero_point) * scale, as in DequantizeLinear.
struct ByteScale {
  float scale = 1;
  uint8_t zero_point = 0;
  bool operator==(const ByteScale&) const = default;
};

// 255 steps over the range; scale 1 if all values are 0.
ByteScale ByteScaleOf(const ValueRange& range);

// Counts of values in bins of equal width over a range; values beyond it count in the first or last bin.
class ValueHistogram {
 public:
  explicit ValueHistogram(const ValueRange& range);
  void Add(const Tensor& values);

  const ValueRange& range() const { return range_; }
  const std::vector<int64_t>& counts() const { return counts_; }
  double bin_width() const { return range_.width() / static_cast<double>(counts_.size()); }
  // The middle of bin i.
  double ValueOf(size_t i) const { return range_.low + (static_cast<double>(i) + 0.5) * bin_width(); }

 private:
  ValueRange range_;
  std::vector<int64_t> counts_;
};

}  // namespace hone
