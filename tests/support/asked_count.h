// The number of repetitions of a counted test: few in the usual run, and HONE_COUNT in a soak.
#pragma once

#include <cstdlib>

namespace hone {

// HONE_COUNT where it is set, else `usual`.
inline int AskedCount(int usual) {
  const char* asked = std::getenv("HONE_COUNT");
  return asked == nullptr ? usual : std::atoi(asked);
}

}  // namespace hone
