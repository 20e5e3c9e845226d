#include "lab/bench/until_told.h"

#include <algorithm>

#include "core/stats/statistics.h"
#include "lab/bench/verdict.h"
#include "rpc_runner/process/clock.h"

namespace hone {
namespace {

// The largest p-value of a difference that ends a benchmark early. Each question is another chance of a false verdict,
// and there are up to four; the last verdict is one of kConfidence whatever was asked before.
constexpr double kMostP = 0.003;

bool IsTold(const Verdict& verdict) {
  return verdict.finding == Finding::kEquivalent || (verdict.finding != Finding::kCannotTell && verdict.p <= kMostP);
}

}  // namespace

bool UntilTold::operator()(const std::vector<TimedPackage>& timed) {
  if (end_ns_ == 0) end_ns_ = MonotonicNs() + most_ns_;
  if (MonotonicNs() >= end_ns_) return false;
  size_t rounds = 0;
  for (const TimedPackage& each : timed) rounds = std::max(rounds, each.rounds.size());
  std::vector<std::vector<int64_t>> whole;
  for (const TimedPackage& each : timed) {
    if (each.rounds.size() == rounds) whole.push_back(RoundTimes(each, false));
  }
  if (whole.size() < 2) return false;
  const auto median = [](const std::vector<int64_t>& times) { return StatisticsOf(times).median_ns; };
  const auto against = against_ == Against::kFirst ? whole.begin() : std::ranges::min_element(whole, {}, median);
  return std::any_of(whole.begin(), whole.end(), [&](const std::vector<int64_t>& times) {
    return &times != &*against && !IsTold(JudgePairs(times, *against, smallest_effect_));
  });
}

}  // namespace hone
