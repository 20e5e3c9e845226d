// Prints the choice of --precision int8 or auto for people, and as JSON.
#pragma once

#include <string>

#include "lab/precision/choose_precision.h"
#include "lab/text/print.h"

namespace hone {

// A table of layers, one of the networks that were tried, and the source of the errors.
std::string ChosenPrecisionText(const ChosenPrecision& chosen);
// JSON with the fields of docs/reference/cli.md.
Json ChosenPrecisionJson(const ChosenPrecision& chosen);

}  // namespace hone
