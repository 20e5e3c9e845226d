// What a record of another kind of machine is expected to lose, as people and programs read it.
#pragma once

#include <optional>
#include <string>

#include "core/serialize.h"
#include "tuner/record_config_source.h"

namespace hone {

// "12.0 % of 14 tasks", or "8.1 %, estimated"; empty where there is nothing to say.
std::string LossText(const std::optional<ExpectedLoss>& loss);
// {"share": 0.12, "tasks": 14}; tasks is 0 of an estimate. null where there is nothing to say.
Json LossJson(const std::optional<ExpectedLoss>& loss);

}  // namespace hone
