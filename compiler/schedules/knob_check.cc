#include "compiler/schedules/knob_check.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone {

std::optional<std::string> UnknownKnob(const Config& config, std::initializer_list<std::string_view> knobs) {
  for (const auto& [name, value] : config.values()) {
    if (std::find(knobs.begin(), knobs.end(), name) == knobs.end()) {
      return fmt::format("{} is not a knob; there are {}", name, fmt::join(knobs, ", "));
    }
  }
  return std::nullopt;
}

std::optional<std::string> OutOfRange(std::initializer_list<KnobRange> ranges) {
  for (const KnobRange& r : ranges) {
    if (r.value < r.least || r.value > r.most) {
      return fmt::format("{}={} is not within {} and {}", r.name, r.value, r.least, r.most);
    }
  }
  return std::nullopt;
}

}  // namespace hone
