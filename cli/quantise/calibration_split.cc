#include "cli/quantise/calibration_split.h"

#include <utility>

namespace hone {

CalibrationSplit SplitCalibration(std::vector<CalibrationSample> all) {
  constexpr size_t kEvery = 5;
  CalibrationSplit split;
  const size_t count = all.size();
  for (size_t i = 0; i < count; ++i) {
    const bool out = count >= kEvery && i % kEvery == kEvery - 1;
    (out ? split.held_out : split.seen).push_back(std::move(all[i]));
  }
  return split;
}

CalibrationSplit CalibrationOf(const std::string& from, int64_t drawn, const std::vector<InputSpec>& specs,
                               uint64_t seed) {
  return SplitCalibration(from == "random" ? RandomCalibration(specs, drawn, seed) : ReadCalibration(from, specs));
}

}  // namespace hone
