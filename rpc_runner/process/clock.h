// The one clock of measurements, deadlines and leases.
#pragma once

#include <time.h>

#include <cstdint>

namespace hone {

inline constexpr int64_t kMillisecondNs = 1'000'000;

// CLOCK_MONOTONIC in ns. Comparable between processes of one machine, never with wall time.
inline int64_t MonotonicNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{1'000'000'000} * now.tv_sec + now.tv_nsec;
}

}  // namespace hone
