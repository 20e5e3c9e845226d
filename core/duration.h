// Durations as people write them.
#pragma once

#include <cstdint>
#include <string_view>

namespace hone {

// "250ms", "90s", "10m", "2h" in nanoseconds. Throws Error(kUsage) naming the text; zero is refused.
int64_t ParseDuration(std::string_view text);

}  // namespace hone
