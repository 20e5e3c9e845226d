// Inputs with which a model is run to observe its values: some give ranges, others judge the result.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lab/model/inputs.h"
#include "lab/quantise/image_inputs.h"

namespace hone {

// One run's inputs by name, and their origin.
struct CalibrationSample {
  std::string from;
  std::map<std::string, Tensor> inputs;
};

// The samples of a folder, in the order of names. A sample is:
// - an .npz file with an array per input,
// - a folder with a file NAME.npy or NAME.pb per input, or
// - for a model with one input, an .npy or .pb file or an image.
//
// If an array's first axis is a multiple of the input's, it holds that many samples. Throws Error(kNoInput) if there is
// no such folder, or nothing in it can be a sample. Throws Error(kBadData), naming the file, for missing or unknown
// inputs, another shape or type, or values that are not finite. Also throws what ReadImage and ImageInput throw.
std::vector<CalibrationSample> ReadCalibration(const std::string& folder, const std::vector<InputSpec>& specs,
                                               const ImageOptions& images = {});

// Random samples: floats are normal, indices in range, other integers 0 or 1.
std::vector<CalibrationSample> RandomCalibration(const std::vector<InputSpec>& specs, int64_t count, uint64_t seed);

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
