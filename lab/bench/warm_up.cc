#include "lab/bench/warm_up.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "core/nth.h"

namespace hone {
namespace {

constexpr double kStillFalling = 0.98;

}  // namespace

void WarmUp::Add(int64_t run_ns) {
  Nth(last_, runs_ % (2 * kWindow)) = run_ns;
  least_run_ns_ = runs_ == 0 ? run_ns : std::min(least_run_ns_, run_ns);
  ++runs_;
  spent_ns_ += run_ns;
}

bool WarmUp::settled() const {
  if (spent_ns_ < least_ns_ || runs_ < 2 * kWindow) return false;
  int64_t before = std::numeric_limits<int64_t>::max(), now = before;
  for (int64_t back = 1; back <= 2 * kWindow; ++back) {
    int64_t& least = back <= kWindow ? now : before;
    least = std::min(least, Nth(last_, (runs_ - back) % (2 * kWindow)));
  }
  return static_cast<double>(now) >= kStillFalling * static_cast<double>(before);
}

}  // namespace hone
