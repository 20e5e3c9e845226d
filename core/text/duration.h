// Durations in the form that people write.
#pragma once

#include <cstdint>
#include <string_view>

namespace hone {

// Reads "250ms", "90s", "10m" or "2h" as nanoseconds. Throws Error(kUsage) naming the text; zero is refused.
int64_t ParseDuration(std::string_view text);

}  // namespace hone
