#include "cli/quantise/calibration_split.h"

#include <fmt/format.h>

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

std::string JudgesText(size_t held_out) {
  if (held_out == 0) return "the same ones";
  return fmt::format("{} other{}", held_out, held_out == 1 ? "" : "s");
}

CalibrationSplit CalibrationOf(const std::string& from, int64_t drawn, const std::vector<InputSpec>& specs,
                               uint64_t seed) {
  return SplitCalibration(from == "random" ? RandomCalibration(specs, drawn, seed) : ReadCalibration(from, specs));
}

}  // namespace hone
