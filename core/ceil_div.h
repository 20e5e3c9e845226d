// How many parts of one size cover a length.
#pragma once

#include <cstdint>

namespace hone {

// a / b rounded up: a >= 0, b > 0, and a + b is an int64.
constexpr int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

}  // namespace hone
