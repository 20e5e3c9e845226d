#include "tuner/finals/package_gain.h"

#include <algorithm>

#include "core/error.h"
#include "db/verdicts/best_lookup.h"
#include "tuner/finals/network_finals.h"
#include "tuner/finals_outcome.h"

namespace hone {
namespace {

constexpr int64_t kFewestRounds = VariantTimer::kLeastRounds, kAllRounds = VariantTimer::kRounds;
// Packages of new kernels that are built during the finals. The one with all replacements and the one of now have
// kernels of these.
constexpr int64_t kLeastVariants = 2, kMostVariants = NetworkFinals::kFinalists;
constexpr int64_t kLeastLeftNs = 1'000'000'000;  // a shorter time is of no use to any model
constexpr double kSignificant = 0.05;

constexpr int64_t kBudgetWithPartNs = 60'000'000'000, kLargestPartNs = 60'000'000'000;
constexpr int64_t kPeakNs = 2'000'000'000;  // to measure the machine's peak between the search and these stages

}  // namespace

bool KeepsTimeForModel(int64_t budget_ns) { return budget_ns >= kBudgetWithPartNs; }

// 15 %, but no more than both stages can use. If they need more, up to two fifths of the budget.
int64_t TimeForModelNs(int64_t budget_ns, int64_t least_ns, int64_t most_ns) {
  const int64_t usual_ns = std::min(budget_ns * 15 / 100, kLargestPartNs);
  if (most_ns == 0) return std::max(usual_ns, std::min(budget_ns / 4, kLargestPartNs / 2)) + kPeakNs;
  if (least_ns > budget_ns * 2 / 5) return usual_ns + kPeakNs;
  return std::clamp(usual_ns, least_ns, most_ns) + kPeakNs;
}

PackageComparison::PackageComparison(const relay::IRModule& module, const TuneOptions& options, Runner& runner,
                                     CompiledKernels& kernels, const std::atomic<bool>* stop)
    : tools_(RealTuneTools()), timer_(module, options, runner, tools_, kernels, stop) {}

void PackageComparison::Begin(ConfigSource& before) {
  try {
    before_ = timer_.BuildWith(before);
    cost_ns_ = timer_.CostNs(*before_);
  } catch (const Error& error) {
    trouble_ = error.what();
  }
}

int64_t PackageComparison::OwnLeastNs() const { return timer_.rebuild_ns() + 2 * kFewestRounds * cost_ns_; }

int64_t PackageComparison::BothNs(int64_t variants, int64_t rounds) const {
  return variants * timer_.build_ns() + 2 * timer_.rebuild_ns() + (variants + 4) * rounds * cost_ns_;
}

int64_t PackageComparison::LeastNs() const { return BothNs(kLeastVariants, kFewestRounds); }

int64_t PackageComparison::MostNs() const { return BothNs(kMostVariants, kAllRounds); }

PackageGain PackageComparison::Finish(ConfigSource& before, ConfigSource& now, int64_t deadline_ns) {
  const int64_t begin_ns = tools_.now_ns();
  timer_.SetDeadline(deadline_ns);
  PackageGain gain;
  if (!before_ && trouble_.empty() && timer_.Reaches(kLeastLeftNs)) Begin(before);
  if (!trouble_.empty()) {
    gain.why_not = trouble_;
  } else if (!before_ || !timer_.Reaches(OwnLeastNs())) {
    gain.why_not = "the budget left no time to build the model twice and to time it";
  } else {
    try {
      gain = Compare(now);
    } catch (const Error& error) {
      gain.why_not = error.what();
    }
  }
  gain.measured = gain.why_not.empty();
  gain.elapsed_ns = tools_.now_ns() - begin_ns;
  return gain;
}

PackageGain PackageComparison::Compare(ConfigSource& now) {
  PackageGain gain;
  Variant after = timer_.BuildWith(now);
  Variant& before = *before_;
  for (const PlanKernel& kernel : after.job.plan.kernels) {
    const Dispatch& d = kernel.dispatch;
    if (!d.workload.empty()) gain.configs[d.workload] = CandidateText(d.schedule, d.config);
  }
  gain.same_kernels = SameKernels(before, after);
  std::vector<Variant*> both = {&before, &after};
  if (gain.same_kernels) both.pop_back();
  gain.rounds = kAllRounds;
  while (gain.rounds > kFewestRounds && !timer_.Reaches(static_cast<int64_t>(both.size()) * gain.rounds * cost_ns_)) {
    --gain.rounds;
  }
  if (!timer_.Time(both, gain.rounds)) {
    gain.why_not = "interrupted";
    return gain;
  }
  gain.before = gain.after = MedianOf(before.total_ns);
  if (gain.same_kernels) return gain;
  const FinalsVerdict verdict = RankFinalists({before.total_ns, after.total_ns}, 0);
  gain.after = verdict.standings[1].ns;
  gain.p = verdict.standings[1].p;
  const bool differs = gain.p < kSignificant && gain.after.median != gain.before.median;
  gain.verdict = !differs ? "no significant difference" : gain.after.median < gain.before.median ? "faster" : "slower";
  return gain;
}

}  // namespace hone
