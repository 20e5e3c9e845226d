#include "cli/printing/time_left.h"

#include <algorithm>

namespace hone {

void TimeLeft::Trial(int64_t trial, int64_t elapsed_ns) {
  trial_ = trial;
  elapsed_ns_.push_back(elapsed_ns);
}

std::optional<int64_t> TimeLeft::Ns() const {
  if (elapsed_ns_.empty()) return std::nullopt;
  std::optional<int64_t> left_ns;
  if (budget_.time_ns > 0) left_ns = budget_.time_ns - elapsed_ns_.back();
  if (budget_.trials > 0) {
    // Trials arrive in batches, all with the time at which the batch ended.
    const size_t half = elapsed_ns_.size() / 2;
    const int64_t span_ns = elapsed_ns_.back() - (half == 0 ? 0 : elapsed_ns_[half - 1]);
    const double per_trial_ns = static_cast<double>(span_ns) / static_cast<double>(elapsed_ns_.size() - half);
    const auto by_trials_ns = static_cast<int64_t>(per_trial_ns * static_cast<double>(budget_.trials - trial_));
    left_ns = left_ns ? std::min(*left_ns, by_trials_ns) : by_trials_ns;
  }
  return left_ns && *left_ns > 0 ? left_ns : std::nullopt;
}

}  // namespace hone
