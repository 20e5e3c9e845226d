// Files that tell how long the runs of a model are.
#pragma once

#include <string>
#include <vector>

#include "core/build_context.h"

namespace hone {

// Reads lines "57 1200" (a length and how many runs had it) or "batch=4,seq=57 1200". Empty lines and those that begin
// with '#' are passed over. Throws Error as ReadFile does, and kBadData naming the line.
std::vector<RunLength> ReadLengths(const std::string& path);

}  // namespace hone
