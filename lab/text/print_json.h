// Prints the single JSON document of --json.
#pragma once

#include "core/json/serialize.h"

namespace hone {

// Prints to stdout, compact, with a newline.
void PrintJson(const Json& json);

// An error as JSON; one that is not finite becomes "inf", because JSON has no infinity.
Json FiniteOrInf(double error);

}  // namespace hone
