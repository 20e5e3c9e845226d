// Moments as other programs' files have them.
#pragma once

#include <cstdint>
#include <string>

namespace hone {

// "2026-11-22T22:50:00+00:00", of ms since 1970; what lies between two seconds is left out.
std::string UtcText(int64_t unix_ms);

}  // namespace hone
