// The values of the options of --precision int8 and auto.
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

}  // namespace hone
