// What goes with --precision int8 and auto.
#pragma once

#include <cstdint>
#include <string>

#include "cli/command_line.h"
#include "cli/quantise/image_inputs.h"

namespace hone {

inline constexpr double kAutoMaxError = 1e-2;

struct PrecisionOptions {
  std::string calibrate;  // a folder, or "random"
  int64_t samples = 8;    // that are drawn when it is random
  ImageOptions images = {};
  double max_error = -1;  // not given: kAutoMaxError for auto, of int8 whatever it is
};
// --calibrate, --samples, --max-error and what AddImageOptions adds.
void AddPrecisionOptions(CommandLine& line, PrecisionOptions& options);

// Whether --precision is one for which the command makes a model of its own.
bool ChoosesPrecision(const std::string& precision);
// Throws Error(kUsage) for int8 and auto without calibration inputs, and for options that do not go with the others.
void CheckPrecisionOptions(const std::string& precision, const PrecisionOptions& options);

}  // namespace hone
