#include "tuner/failure_tally.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "tuner/trial.h"

namespace hone {
namespace {

// After this many failed trials in a row the machine's failure counts as permanent.
constexpr int64_t kMostInARow = 32;

}  // namespace

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

std::optional<Failure> TroubleOf(const Trial& trial) {
  if (const Rejection* rejection = std::get_if<Rejection>(&trial.built)) {
    return rejection->fate == Fate::kCancelled ? std::optional(*rejection) : std::nullopt;
  }
  const Measurement& measurement = trial.measurement;
  if (measurement.fate != Fate::kCancelled || measurement.detail == 0) return std::nullopt;
  return Failure{measurement.fate, measurement.message, static_cast<ExitCode>(measurement.detail)};
}

void TroubleTally::AddStopped(const Failure& trouble) {
  ++not_judged_;
  last_ = trouble;
}

// If only one task has the failure, for example because its reference does not run here, the others go on without it.
TroubleTally::Advice TroubleTally::Add(size_t task, const Failure& trouble, bool others_worked) {
  AddStopped(trouble);
  if (in_a_row_++ == 0) task_ = task;
  if (task_ != task) task_ = std::nullopt;
  if (in_a_row_ % kMostInARow != 0) return Advice::kGoOn;
  return task_ && others_worked ? Advice::kStopTask : Advice::kGiveUp;
}

void TroubleTally::Judged() {
  in_a_row_ = 0;
  task_ = std::nullopt;
}

void TroubleTally::GiveUp() const {
  throw Error(last_.code, fmt::format("{} trials in a row could not be judged: {}", in_a_row_, last_.reason));
}

}  // namespace hone
