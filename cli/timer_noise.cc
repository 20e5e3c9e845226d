#include "cli/timer_noise.h"

#include <algorithm>
#include <chrono>
#include <limits>

namespace hone {
namespace {

constexpr int64_t kGapNs = 5'000;

int64_t Now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

TimerNoise MeasureTimerNoise(int64_t duration_ns) {
  TimerNoise noise;
  noise.resolution_ns = std::numeric_limits<int64_t>::max();
  int64_t lost = 0;
  const int64_t start = Now();
  int64_t last = start;
  while (last - start < duration_ns) {
    const int64_t now = Now();
    const int64_t gap = now - last;
    last = now;
    if (gap > 0) noise.resolution_ns = std::min(noise.resolution_ns, gap);
    noise.worst_gap_ns = std::max(noise.worst_gap_ns, gap);
    if (gap > kGapNs) lost += gap;
  }
  noise.lost_share = static_cast<double>(lost) / static_cast<double>(std::max<int64_t>(last - start, 1));
  return noise;
}

}  // namespace hone
