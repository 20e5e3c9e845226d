#include "tuner/runner_watch.h"

#include <optional>

namespace hone {

void RunnerWatch::Look() {
  if (is_over_) return;
  const std::optional<RunnerAbsence> absence = runner_.Absence();
  const std::string why = absence ? absence->why : "";
  if (absence && absence->gone_ns >= patience_ns_) is_over_ = true;
  const int64_t now_ns = tools_.now_ns();
  if (why == why_ && (why.empty() || now_ns - told_ns_ < kTellNs)) return;
  why_ = why;
  told_ns_ = now_ns;
  tell_(why_);
}

}  // namespace hone
