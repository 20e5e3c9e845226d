// Options of quantisation: of `hone quantize`, and of --precision int8 and auto.
#pragma once

#include <string>

#include "cli/command_line.h"
#include "lab/precision/choose_precision.h"
#include "lab/quantise/quantiser.h"

namespace hone {

// Adds --calibrate, --samples, --method, --percentile, --no-bias-correction, --products, --max-error, --mean, --std,
// --fit and --bgr.
void AddQuantiseOptions(CommandLine& line, QuantiseOptions& options);
// Adds --calibrate, --samples, --max-error, --mean, --std, --fit and --bgr.
void AddPrecisionOptions(CommandLine& line, PrecisionOptions& options);

// Whether this --precision makes the command transform the model.
bool ChoosesPrecision(const std::string& precision);
// Throws Error(kUsage) for int8 and auto without calibration inputs, and for options that do not fit the others.
void CheckPrecisionOptions(const std::string& precision, const PrecisionOptions& options);

}  // namespace hone
