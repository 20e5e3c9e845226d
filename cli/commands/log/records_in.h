// Reads records for commands that take a store or a pack.
#pragma once

#include <string>
#include <vector>

#include "db/record.h"

namespace hone {

// All records of a pack, or the successful ones of a store. Throws Error(kNoInput) if there is neither, and what
// reading them throws.
std::vector<Record> RecordsIn(const std::string& path);

}  // namespace hone
