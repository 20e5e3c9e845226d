// What --precision int8 and auto were asked for.
#pragma once

#include <cstdint>
#include <string>

#include "lab/quantise/image_inputs.h"

namespace hone {

inline constexpr double kAutoMaxError = 1e-2;

struct PrecisionOptions {
  std::string calibrate;  // a folder, or "random"
  int64_t samples = 8;    // number drawn if calibrate is "random"
  ImageOptions images = {};
  double max_error = -1;  // negative: not given, so kAutoMaxError for auto, unlimited for int8
};
// Whether this --precision makes the command transform the model.
bool ChoosesPrecision(const std::string& precision);
// Throws Error(kUsage) for int8 and auto without calibration inputs, and for options that do not fit the others.
void CheckPrecisionOptions(const std::string& precision, const PrecisionOptions& options);

}  // namespace hone
