// Checks that every schedule makes of a config that may come from anywhere.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "core/config_space.h"

namespace hone {

// A sentence naming the first knob that is not among `knobs`, or nullopt.
std::optional<std::string> UnknownKnob(const Config& config, std::initializer_list<std::string_view> knobs);

struct KnobRange {
  std::string_view name;
  int64_t value, least, most;
};
// A sentence naming the first value outside its range, or nullopt.
std::optional<std::string> OutOfRange(std::initializer_list<KnobRange> ranges);

}  // namespace hone
