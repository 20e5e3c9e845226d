// Prints the expected loss of using a record of another kind of machine.
#pragma once

#include <optional>
#include <string>

#include "core/json/serialize.h"
#include "tuner/record_config_source.h"

namespace hone {

// "12.0 % of 14 tasks", or "8.1 %, estimated"; empty if there is no loss to print.
std::string LossText(const std::optional<ExpectedLoss>& loss);
// {"share": 0.12, "tasks": 14}; tasks is 0 for an estimate. null if there is no loss to print.
Json LossJson(const std::optional<ExpectedLoss>& loss);

}  // namespace hone
