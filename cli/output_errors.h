// How far outputs are off, as a table and as JSON.
#pragma once

#include <string>
#include <vector>

#include "cli/compare_outputs.h"
#include "core/serialize.h"

namespace hone {

// A line for each output. What rounding allows, and the element that is furthest beyond what is allowed at its place,
// are told where they were asked.
std::string ErrorsText(const std::vector<OutputError>& errors);
// docs/cli.md has the fields.
Json ErrorsJson(const std::vector<OutputError>& errors);

}  // namespace hone
