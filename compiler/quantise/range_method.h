// Chooses the range that bytes cover from the values that were seen.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/quantise/value_range.h"

namespace hone {

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
