#include "rpc_runner/executor/timing.h"

#include <algorithm>
#include <limits>

namespace hone {
namespace {

constexpr int64_t kTimingBudgetNs = 400'000'000;
constexpr int64_t kMostRunsPerSample = 1 << 16;
constexpr int kMostRounds = 4;
constexpr double kMinimaAgree = 1.05;
constexpr double kThirdsAgree = 1.02;
constexpr size_t kLeastThird = 3;   // samples
constexpr int64_t kShareAway = 50;  // a sample kept its core if it was away for at most one part in so many

bool LeastTwoAgree(std::vector<int64_t> values, double within) {
  if (values.size() < 2) return true;
  std::partial_sort(values.begin(), values.begin() + 2, values.end());
  return static_cast<double>(values[1]) <= within * static_cast<double>(values[0]);
}

// Whether two thirds of the round have nearly the same minimum.
bool LeastComesAgain(const std::vector<int64_t>& round) {
  const size_t third = round.size() / 3;
  if (third < kLeastThird) return false;
  std::vector<int64_t> minima;
  for (size_t i = 0; i < 3; ++i) {
    const auto begin = round.begin() + static_cast<int64_t>(i * third);
    minima.push_back(*std::min_element(begin, begin + static_cast<int64_t>(third)));
  }
  return LeastTwoAgree(minima, kThirdsAgree);
}

bool MedianNearLeast(std::vector<int64_t> values) {
  std::sort(values.begin(), values.end());
  return static_cast<double>(values[values.size() / 2]) <= kMinimaAgree * static_cast<double>(values[0]);
}

class Sampler {
 public:
  Sampler(const TimingPolicy& policy, int most, TimedLoop& loop) : policy_(policy), most_(most), loop_(loop) {}

  Samples Take() {
    Calibrate();
    std::vector<int64_t> minima;
    bool agreed = false;
    std::vector<int64_t> round;
    for (int i = 0; i < kMostRounds && !(agreed && LeastKeptItsCore()) && !Spent(); ++i) {
      const int64_t before = loop_.Disturbances();
      round = TakeRound();
      if (round.empty()) break;
      minima.push_back(*std::min_element(round.begin(), round.end()));
      const bool clean = loop_.Disturbances() == before && MedianNearLeast(round);
      agreed = clean || LeastComesAgain(round) || (minima.size() > 1 && LeastTwoAgree(minima, kMinimaAgree));
    }
    agreed = agreed || LeastTwoAgree(minima.size() > 1 ? minima : round, kMinimaAgree);
    samples_.noisy = !agreed || !LeastKeptItsCore();
    return std::move(samples_);
  }

 private:
  void Calibrate() {
    const int64_t once_ns = std::max<int64_t>(1, loop_.Run(1).ns);
    batch_ = std::clamp<int64_t>((policy_.min_sample_ns + once_ns - 1) / once_ns, 1, kMostRunsPerSample);
  }

  bool LeastKeptItsCore() const {
    return static_cast<double>(least_kept_ns_) <= kMinimaAgree * static_cast<double>(least_ns_);
  }

  bool Spent() const { return spent_ns_ > kTimingBudgetNs; }
  bool Full() const { return static_cast<int>(samples_.batch.size()) >= most_; }

  // Whether the least time is within `share` of the margin above the incumbent.
  bool IsNear(const std::vector<int64_t>& round, double share) const {
    if (round.empty()) return false;
    if (policy_.incumbent_ns == 0) return true;
    const auto least = static_cast<double>(*std::min_element(round.begin(), round.end()));
    return least <= (1 + share * (policy_.near_factor - 1)) * static_cast<double>(policy_.incumbent_ns);
  }

  std::vector<int64_t> TakeRound() {
    std::vector<int64_t> round;
    const int least = std::max(1, policy_.min_samples);
    const auto add_until = [&](int count, bool within_budget) {
      while (static_cast<int>(round.size()) < count && !Full() && !(within_budget && Spent()))
        round.push_back(TakeOne());
    };
    add_until(least, false);
    const int most = std::max(least, policy_.max_samples);
    if (IsNear(round, 1)) add_until((least + most) / 2, true);
    if (IsNear(round, 0.5)) add_until(most, true);
    return round;
  }

  int64_t TakeOne() {
    const TimedRuns runs = loop_.Run(batch_);
    spent_ns_ += runs.ns;
    const int64_t per_run_ns = std::max<int64_t>(1, runs.ns / batch_);
    least_ns_ = std::min(least_ns_, per_run_ns);
    if (runs.away_ns * kShareAway <= runs.ns) least_kept_ns_ = std::min(least_kept_ns_, per_run_ns);
    samples_.per_run_ns.push_back(per_run_ns);
    samples_.batch.push_back(batch_);
    return per_run_ns;
  }

  const TimingPolicy& policy_;
  const int most_;
  TimedLoop& loop_;
  int64_t batch_ = 1;
  int64_t spent_ns_ = 0;
  int64_t least_ns_ = std::numeric_limits<int64_t>::max();
  int64_t least_kept_ns_ = std::numeric_limits<int64_t>::max();  // least of the samples that kept their core
  Samples samples_;
};

}  // namespace

Samples TakeSamples(const TimingPolicy& policy, int most, TimedLoop& loop) {
  return Sampler(policy, most, loop).Take();
}

}  // namespace hone
