// The inputs with which a model is run to see what its values are.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/inputs.h"
#include "cli/quantise/image_inputs.h"

namespace hone {

// One run's inputs by name, and where they are from.
struct CalibrationSample {
  std::string from;
  std::map<std::string, Tensor> inputs;
};

// The samples of a folder, by name: each .npz file is one (an array per input), each .npy or .pb file and each picture
// is one of a model with one input, each folder in it is one (a file NAME.npy or NAME.pb per input). Where the first
// axis is a multiple of the input's, a sample is as many. Throws Error: kNoInput when there is no such folder or
// nothing in it can be a sample; kBadData naming the file for inputs that are missing or not known, another shape or
// type, or values that are not finite; what ReadImage and ImageInput throw.
std::vector<CalibrationSample> ReadCalibration(const std::string& folder, const std::vector<InputSpec>& specs,
                                               const ImageOptions& images = {});

// Drawn: floats are normal, indices in range, other integers 0 or 1.
std::vector<CalibrationSample> RandomCalibration(const std::vector<InputSpec>& specs, int64_t count, uint64_t seed);

}  // namespace hone
