// Ranges of values, how often each was seen, and the range that bytes cover.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.h"

namespace hone {

// A range of values. It always includes 0, so that a byte stands for 0 exactly and a border of zeros stays exact.
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

enum class RangeMethod : uint8_t {
  kMinMax,      // all values: Jacob et al., "Quantization and Training of Neural Networks for Efficient
                // Integer-Arithmetic-Only Inference", CVPR 2018
  kPercentile,  // without the rarest on each side: Wu et al., "Integer Quantization for Deep Learning Inference", 2020
  kMse,         // least mean squared error: Choukroun et al., "Low-bit Quantization of Neural Networks for Efficient
                // Inference", ICCV workshops 2019
  kEntropy      // least Kullback-Leibler divergence: Migacz, "8-bit Inference with TensorRT", GTC 2017
};

// "min-max", "percentile", "mse", "entropy", in that order.
const std::vector<std::string>& RangeMethodNames();
// Throws Error(kUsage) naming the text and the methods that there are.
RangeMethod ParseRangeMethod(std::string_view name);
std::string_view RangeMethodName(RangeMethod method);

// A range within the histogram's. `percentile` (0 to 100) is the share of values that kPercentile keeps; both sides are
// cut by the same share. A side without values keeps its end, which is 0.
ValueRange ChooseRange(const ValueHistogram& histogram, RangeMethod method, double percentile);

// The expected square of a value's error if bytes cover `range`.
double MeanSquaredError(const ValueHistogram& histogram, const ValueRange& range);

}  // namespace hone
