// The one JSON document of --json.
#pragma once

#include "core/serialize.h"

namespace hone {

// On stdout, with a newline, compact.
void PrintJson(const Json& json);

}  // namespace hone
