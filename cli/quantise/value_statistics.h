// What a float model's values are on calibration inputs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/quantise/calibration_inputs.h"
#include "cli/quantise/value_runner.h"
#include "compiler/frontend/quantise/float_model.h"
#include "compiler/quantise/range_method.h"

namespace hone {

struct StatisticsOptions {
  RangeMethod method = RangeMethod::kMinMax;
  double percentile = 99.999;
};

struct ValueStatistics {
  std::map<std::string, ValueRange> ranges;          // that the method chose
  std::map<std::string, std::vector<double>> means;  // per channel, of the values that were asked for
};

// Of `values`, and the means of those that `channel_axes` has along that axis (-1: the last). Runs the model once per
// sample, twice where the method needs counts. Throws Error(kBadData) naming value and sample when one is not finite.
ValueStatistics Measure(const FloatModel& model, const std::vector<std::string>& values,
                        const std::map<std::string, int64_t>& channel_axes,
                        const std::vector<CalibrationSample>& samples, const StatisticsOptions& options,
                        const RunSettings& settings);

// As many bytes of values are made at once.
inline constexpr int64_t kMostValueBytes = int64_t{1} << 30;

}  // namespace hone
