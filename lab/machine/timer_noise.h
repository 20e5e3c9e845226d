// Measures how quiet this machine is for timing.
#pragma once

#include <cstdint>

namespace hone {

struct TimerNoise {
  int64_t resolution_ns = 0;  // the least step between two readings of the clock
  int64_t worst_gap_ns = 0;   // the longest time for which this thread did not run
  double lost_share = 0;      // share of the time in gaps longer than 5 us
};
// Spins for about duration_ns and reads the monotonic clock.
TimerNoise MeasureTimerNoise(int64_t duration_ns);

}  // namespace hone
