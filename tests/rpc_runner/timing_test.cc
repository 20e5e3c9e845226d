#include "rpc_runner/executor/timing.h"

#include <gtest/gtest.h>

#include <deque>

namespace hone {
namespace {

// Answers with the given times per run, repeating the last one. A given share of each run is spent off the core.
class FakeLoop : public TimedLoop {
 public:
  explicit FakeLoop(std::deque<int64_t> per_run_ns) : per_run_ns_(std::move(per_run_ns)) {}
  TimedRuns Run(int64_t batch) override {
    const int64_t ns = per_run_ns_.front() * batch;
    if (per_run_ns_.size() > 1) per_run_ns_.pop_front();
    return {ns, static_cast<int64_t>(away_share_ * static_cast<double>(ns))};
  }
  int64_t Disturbances() override { return disturbing_ ? ++disturbances_ : 0; }

  bool disturbing_ = false;
  double away_share_ = 0;

 private:
  std::deque<int64_t> per_run_ns_;
  int64_t disturbances_ = 0;
};

TEST(Timing, BatchesShortRunsUpToASample) {
  FakeLoop loop({5'000});
  const Samples samples = TakeSamples(TimingPolicy(), 64, loop);
  EXPECT_EQ(samples.per_run_ns, std::vector<int64_t>(15, 5'000));
  EXPECT_EQ(samples.batch, std::vector<int64_t>(15, 20));
  EXPECT_FALSE(samples.noisy);
}

TEST(Timing, StopsEarlyFarFromTheIncumbent) {
  FakeLoop loop({200'000});
  TimingPolicy policy;
  policy.incumbent_ns = 100'000;
  EXPECT_EQ(TakeSamples(policy, 64, loop).per_run_ns.size(), 3u);
  policy.incumbent_ns = 185'000;
  EXPECT_EQ(TakeSamples(policy, 64, loop).per_run_ns.size(), 9u);
  policy.incumbent_ns = 195'000;
  EXPECT_EQ(TakeSamples(policy, 64, loop).per_run_ns.size(), 15u);
}

TEST(Timing, SpendsNoMoreThanItsBudgetBeyondTheLeast) {
  FakeLoop loop({100'000'000});
  EXPECT_EQ(TakeSamples(TimingPolicy(), 64, loop).per_run_ns.size(), 5u);
  FakeLoop slow({1'000'000'000});
  EXPECT_EQ(TakeSamples(TimingPolicy(), 64, slow).per_run_ns.size(), 3u);
}

TEST(Timing, BelievesADisturbedRoundWhoseLeastComesAgain) {
  FakeLoop loop({200'000});
  loop.disturbing_ = true;
  const Samples samples = TakeSamples(TimingPolicy(), 64, loop);
  EXPECT_EQ(samples.per_run_ns.size(), 15u);
  EXPECT_FALSE(samples.noisy);
}

TEST(Timing, MeasuresAgainWhenDisturbedAndTheLeastComesOnce) {
  // The first round's thirds have the minima 300, 310 and 204 us; the calibration run comes before them.
  std::deque<int64_t> times{1'000'000, 300'000, 320'000, 320'000, 320'000, 320'000, 310'000, 320'000, 320'000};
  times.insert(times.end(), {320'000, 320'000, 204'000, 320'000, 320'000, 320'000, 320'000, 200'000});
  FakeLoop loop(times);
  loop.disturbing_ = true;
  const Samples samples = TakeSamples(TimingPolicy(), 64, loop);
  EXPECT_EQ(samples.per_run_ns.size(), 30u);
  EXPECT_FALSE(samples.noisy);
}

TEST(Timing, MeasuresAShortRoundAgainWhenDisturbed) {
  FakeLoop loop({200'000});
  loop.disturbing_ = true;
  TimingPolicy policy;
  policy.max_samples = 3;
  EXPECT_EQ(TakeSamples(policy, 64, loop).per_run_ns.size(), 6u);
}

TEST(Timing, IsNoisyWhenRoundsNeverAgree) {
  TimingPolicy policy;
  policy.max_samples = 3;
  FakeLoop loop({1'000'000, 4'000'000, 8'000'000, 9'000'000, 3'000'000, 9'000'000, 9'000'000, 2'000'000, 9'000'000,
                 9'000'000, 1'000'000, 9'000'000, 9'000'000});
  const Samples samples = TakeSamples(policy, 64, loop);
  EXPECT_EQ(samples.per_run_ns.size(), 12u);
  EXPECT_TRUE(samples.noisy);
}

TEST(Timing, IsNoisyWhenEverySampleLostItsCoreForAsLong) {
  TimingPolicy policy;
  policy.max_samples = 3;
  FakeLoop loop({10'000'000});
  loop.disturbing_ = true;
  loop.away_share_ = 0.3;
  const Samples samples = TakeSamples(policy, 64, loop);
  EXPECT_EQ(samples.per_run_ns.size(), 12u);
  EXPECT_TRUE(samples.noisy);
  loop.away_share_ = 0.01;
  EXPECT_FALSE(TakeSamples(policy, 64, loop).noisy);
}

TEST(Timing, NeverGoesBeyondTheMost) {
  FakeLoop loop({200'000});
  TimingPolicy policy;
  policy.max_samples = 1000;
  EXPECT_EQ(TakeSamples(policy, 64, loop).per_run_ns.size(), 64u);
}

}  // namespace
}  // namespace hone
