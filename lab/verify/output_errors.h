// Errors of outputs, as a table and as JSON.
#pragma once

#include <string>
#include <vector>

#include "core/json/serialize.h"
#include "lab/verify/compare_outputs.h"

namespace hone {

// A line for each output. The error that rounding allows, and the element that exceeds its allowed error the most, are
// included if they were computed.
std::string ErrorsText(const std::vector<OutputError>& errors);
// JSON with the fields of docs/reference/cli.md.
Json ErrorsJson(const std::vector<OutputError>& errors);

}  // namespace hone
