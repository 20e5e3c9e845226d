// The number of the test program's allocations. Linking counted_allocations.cc replaces its operators new with ones
// that count.
#pragma once

#include <cstdint>

namespace hone::testing {

// Counts all threads since the program began.
int64_t Allocations();

}  // namespace hone::testing
