// What a command reads that takes a store or a pack.
#pragma once

#include <string>
#include <vector>

#include "db/record.h"

namespace hone {

// All records of a pack, or those of a store that worked. Throws Error(kNoInput) when there is neither, and what
// reading them throws.
std::vector<Record> RecordsIn(const std::string& path);

}  // namespace hone
