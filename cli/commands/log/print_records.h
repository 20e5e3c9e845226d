// Records for people and for programs.
#pragma once

#include <vector>

#include "db/record.h"

namespace hone {

// A table with a row each, or one JSON document.
void PrintRecords(const std::vector<Record>& records, bool json);

}  // namespace hone
