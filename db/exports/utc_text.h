// Points in time in the form of other programs' files.
#pragma once

#include <cstdint>
#include <string>

namespace hone {

// "2026-11-22T22:50:00+00:00" from ms since 1970; fractions of a second are dropped.
std::string UtcText(int64_t unix_ms);

}  // namespace hone
