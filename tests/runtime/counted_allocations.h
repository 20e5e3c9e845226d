// How often the test program asked for memory: with counted_allocations.cc in it, its operators new count.
#pragma once

#include <cstdint>

namespace hone::testing {

// Of all threads, since the program began.
int64_t Allocations();

}  // namespace hone::testing
