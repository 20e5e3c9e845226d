// The one clock of measurements, deadlines and leases.
#pragma once

#include <time.h>

#include <cstdint>

namespace hone {

inline constexpr int64_t kMillisecondNs = 1'000'000;

// The clock's time in ns; 0 if the system does not have it.
inline int64_t ClockNs(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return int64_t{1'000'000'000} * now.tv_sec + now.tv_nsec;
}

// CLOCK_MONOTONIC in ns. Comparable between processes of one machine, never with wall time.
inline int64_t MonotonicNs() { return ClockNs(CLOCK_MONOTONIC); }

}  // namespace hone
