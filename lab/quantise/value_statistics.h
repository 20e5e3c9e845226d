// Statistics of a float model's values on calibration inputs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/frontend/quantise/float_model.h"
#include "compiler/quantise/range_method.h"
#include "lab/quantise/calibration_inputs.h"
#include "lab/quantise/value_runner.h"

namespace hone {

struct StatisticsOptions {
  RangeMethod method = RangeMethod::kMinMax;
  double percentile = 99.999;
};

struct ValueStatistics {
  std::map<std::string, ValueRange> ranges;          // chosen by the method
  std::map<std::string, std::vector<double>> means;  // per channel, of the values in channel_axes
};

// Ranges of `values`, and means of those in `channel_axes` along that axis (-1: the last). Values are computed in
// groups of kMostValueBytes. For each group the model runs once per sample, or twice if the method needs histograms.
// Throws Error(kBadData), naming value and sample, if a value is not finite.
ValueStatistics Measure(const FloatModel& model, const std::vector<std::string>& values,
                        const std::map<std::string, int64_t>& channel_axes,
                        const std::vector<CalibrationSample>& samples, const StatisticsOptions& options,
                        const RunSettings& settings);

// Limit for the bytes of values computed at once.
inline constexpr int64_t kMostValueBytes = int64_t{1} << 30;

}  // namespace hone
