// Splits calibration inputs into those for ranges and those for judging.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/quantise/calibration_inputs.h"

namespace hone {

struct CalibrationSplit {
  std::vector<CalibrationSample> seen, held_out;
  // Inputs on which errors are measured: those held out, or all if none are.
  const std::vector<CalibrationSample>& judges() const { return held_out.empty() ? seen : held_out; }
};

// The inputs that errors were measured on, for people: "2 others", "the same ones".
std::string JudgesText(size_t held_out);

// Holds out every fifth sample if there are five or more.
CalibrationSplit SplitCalibration(std::vector<CalibrationSample> all);

// The split of a folder's samples. If `from` is "random", `drawn` random samples for ranges and eight for judging.
// Throws Error as ReadCalibration does.
CalibrationSplit CalibrationOf(const std::string& from, int64_t drawn, const std::vector<InputSpec>& specs,
                               uint64_t seed, const ImageOptions& images = {});

}  // namespace hone
