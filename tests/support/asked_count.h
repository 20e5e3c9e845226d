// How often a counted test does what it does: rarely in the usual run, and as often as HONE_COUNT says in a soak.
#pragma once

#include <cstdlib>

namespace hone {

// HONE_COUNT where it is set, else `usual`.
inline int AskedCount(int usual) {
  const char* asked = std::getenv("HONE_COUNT");
  return asked == nullptr ? usual : std::atoi(asked);
}

}  // namespace hone
