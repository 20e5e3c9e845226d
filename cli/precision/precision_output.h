// What was chosen for --precision int8 or auto, for people and as JSON.
#pragma once

#include <string>

#include "cli/precision/choose_precision.h"
#include "cli/printing/print_json.h"

namespace hone {

// A table of layers, one of the networks that were tried, and where the errors are from.
std::string ChosenPrecisionText(const ChosenPrecision& chosen);
// docs/cli.md has the fields.
Json ChosenPrecisionJson(const ChosenPrecision& chosen);

}  // namespace hone
