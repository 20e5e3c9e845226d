// The number of parts of one size that cover a length.
#pragma once

#include <cstdint>

namespace hone {

// a / b rounded up. Requires a >= 0, b > 0 and that a + b fits int64.
constexpr int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

}  // namespace hone
