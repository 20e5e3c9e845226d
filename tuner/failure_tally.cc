#include "tuner/failure_tally.h"

#include <algorithm>

namespace hone {

void FailureTally::Add(Fate fate, const std::string& message) {
  Messages& messages = fates_[fate];
  ++messages.trials;
  ++messages.count[message];
}

FailureReport FailureTally::Commonest() const {
  const auto fate = std::max_element(fates_.begin(), fates_.end(),
                                     [](const auto& a, const auto& b) { return a.second.trials < b.second.trials; });
  if (fate == fates_.end()) return {};
  const auto& count = fate->second.count;
  const auto message =
      std::max_element(count.begin(), count.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return {fate->first, message->first, fate->second.trials};
}

}  // namespace hone
