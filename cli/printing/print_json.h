// Prints the single JSON document of --json.
#pragma once

#include "core/serialize.h"

namespace hone {

// Prints to stdout, compact, with a newline.
void PrintJson(const Json& json);

}  // namespace hone
