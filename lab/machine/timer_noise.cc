#include "lab/machine/timer_noise.h"

#include <algorithm>
#include <limits>

#include "rpc_runner/process/clock.h"

namespace hone {
namespace {

constexpr int64_t kGapNs = 5'000;

}  // namespace

TimerNoise MeasureTimerNoise(int64_t duration_ns) {
  TimerNoise noise;
  noise.resolution_ns = std::numeric_limits<int64_t>::max();
  int64_t lost = 0;
  const int64_t start = MonotonicNs();
  int64_t last = start;
  while (last - start < duration_ns) {
    const int64_t now = MonotonicNs();
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
