// Which calibration inputs are looked at, and which judge what came of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/quantise/calibration_inputs.h"

namespace hone {

struct CalibrationSplit {
  std::vector<CalibrationSample> seen, held_out;
  // Those that errors are measured on: held out, or where nothing is, the same ones.
  const std::vector<CalibrationSample>& judges() const { return held_out.empty() ? seen : held_out; }
};

// Which inputs errors are of, for people: "2 others", "the same ones".
std::string JudgesText(size_t held_out);

// Every fifth sample of five or more is held out.
CalibrationSplit SplitCalibration(std::vector<CalibrationSample> all);

// The split of a folder's samples; where `from` is "random", `drawn` random ones to be looked at and eight that judge.
// Throws Error as ReadCalibration.
CalibrationSplit CalibrationOf(const std::string& from, int64_t drawn, const std::vector<InputSpec>& specs,
                               uint64_t seed, const ImageOptions& images = {});

}  // namespace hone
