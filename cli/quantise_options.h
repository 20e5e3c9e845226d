// Options of quantisation: of `hone quantize`, and of --precision int8 and auto.
#pragma once

#include "cli/command_line.h"
#include "lab/precision/precision_options.h"
#include "lab/quantise/quantiser.h"

namespace hone {

// Adds --calibrate, --samples, --method, --percentile, --no-bias-correction and --max-error.
void AddQuantiseOptions(CommandLine& line, QuantiseOptions& options);
// Adds --calibrate, --samples, --max-error, --mean, --std, --fit and --bgr.
void AddPrecisionOptions(CommandLine& line, PrecisionOptions& options);

}  // namespace hone
