// How quiet this machine is for timing.
#pragma once

#include <cstdint>

namespace hone {

struct TimerNoise {
  int64_t resolution_ns = 0;  // the least step between two readings of the clock
  int64_t worst_gap_ns = 0;   // the longest time that this thread was kept away
  double lost_share = 0;      // of the time, in gaps longer than 5 us
};
// Spins for about duration_ns and watches the clock (monotonic).
TimerNoise MeasureTimerNoise(int64_t duration_ns);

}  // namespace hone
