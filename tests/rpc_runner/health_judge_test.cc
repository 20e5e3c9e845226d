#include "rpc_runner/health/health_judge.h"

#include <gtest/gtest.h>

#include "tests/rpc_runner/golden_noise.h"

namespace hone {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
const std::vector<int64_t> kUsual = {1000, 2000, 3000};

std::vector<int64_t> Times(double arithmetic, double others = 1) {
  return {static_cast<int64_t>(arithmetic * 1000), static_cast<int64_t>(others * 2000),
          static_cast<int64_t>(others * 3000)};
}

// A judge with a clock of its own.
class Device {
 public:
  Device() : judge_(HealthRules(), kThreeParts, GoldenHistory(3)) {
    while (judge_.state() == HealthState::kLearning) Take(kUsual);
  }
  void Take(const std::vector<int64_t>& times, double steal = 0) {
    now_ns_ += judge_.spacing_ns();
    judge_.AddRun({now_ns_, times, steal});
  }
  // Runs until the state changes; returns the time that this took.
  int64_t Until(HealthState state, const std::vector<int64_t>& times, double steal = 0) {
    const int64_t begin_ns = now_ns_;
    while (judge_.state() != state && now_ns_ - begin_ns < 4 * 3600 * kSecond) Take(times, steal);
    return now_ns_ - begin_ns;
  }
  HealthJudge& judge() { return judge_; }

 private:
  HealthJudge judge_;
  int64_t now_ns_ = 0;
};

TEST(HealthJudge, OffersADeviceWhileItLearns) {
  HealthJudge judge(HealthRules(), kThreeParts, GoldenHistory(3));
  EXPECT_EQ(judge.state(), HealthState::kLearning);
  EXPECT_TRUE(judge.may_be_offered());
  judge.AddRun({kSecond, kUsual, 0});
  judge.AddRun({2 * kSecond, Times(2), 0});
  EXPECT_EQ(judge.why(), "");
  EXPECT_EQ(judge.Sensitivity(), 0);
}

TEST(HealthJudge, QuarantinesWhatStaysSlowAndSaysWhy) {
  Device device;
  device.Take(Times(1.05));
  EXPECT_EQ(device.judge().state(), HealthState::kDoubted);
  EXPECT_TRUE(device.judge().may_be_offered());
  EXPECT_LE(device.Until(HealthState::kQuarantined, Times(1.06)), 40 * kSecond);
  EXPECT_FALSE(device.judge().may_be_offered());
  EXPECT_EQ(device.judge().why(), "golden kernel 5.0 % slower than usual (arithmetic)");
}

TEST(HealthJudge, ForgivesASlowMoment) {
  Device device;
  for (int i = 0; i < 100; ++i) {
    for (int slow = 0; slow < 5; ++slow) device.Take(Times(1.5));  // within 12 s
    device.Take(kUsual);
    ASSERT_EQ(device.judge().state(), HealthState::kHealthy);
    ASSERT_EQ(device.judge().why(), "");
  }
}

TEST(HealthJudge, TellsAHypervisorsThefts) {
  Device device;
  EXPECT_GT(device.Until(HealthState::kQuarantined, Times(1.5), 0.2), 300 * kSecond);
}

TEST(HealthJudge, IsPatientWithCachesAndMemory) {
  Device device;
  const int64_t took_ns = device.Until(HealthState::kQuarantined, Times(1, 1.5));
  EXPECT_GT(took_ns, 590 * kSecond);
  EXPECT_LT(took_ns, 700 * kSecond);
  EXPECT_EQ(device.judge().why(), "golden kernel 50.0 % slower than usual (cache)");
  // Only a run in which these times are usual counts as good.
  device.Take(Times(1, 1.5));
  EXPECT_EQ(device.judge().state(), HealthState::kQuarantined);
  device.Take(kUsual);
  EXPECT_EQ(device.judge().state(), HealthState::kProbation);
}

TEST(HealthJudge, FreesAfterProbationAndTakesLongerTheSecondTime) {
  Device device;
  device.Until(HealthState::kQuarantined, Times(1.1));
  device.Take(kUsual);
  EXPECT_EQ(device.judge().state(), HealthState::kProbation);
  EXPECT_FALSE(device.judge().may_be_offered());
  device.Take(Times(1.1));
  EXPECT_EQ(device.judge().state(), HealthState::kQuarantined);
  const int64_t first_ns = device.Until(HealthState::kHealthy, kUsual);
  EXPECT_GE(first_ns, 60 * kSecond);
  EXPECT_LE(first_ns, 120 * kSecond);
  EXPECT_EQ(device.judge().why(), "");
  device.Until(HealthState::kQuarantined, Times(1.1));
  EXPECT_GE(device.Until(HealthState::kHealthy, kUsual), 120 * kSecond);
}

TEST(HealthJudge, LearnsNothingFromTheSlow) {
  Device device;
  const GoldenHistory before = device.judge().history();
  device.Until(HealthState::kQuarantined, Times(1.3));
  for (int i = 0; i < 1000; ++i) device.Take(Times(1.3));
  EXPECT_EQ(device.judge().history(), before);
  EXPECT_EQ(device.judge().state(), HealthState::kQuarantined);
}

TEST(HealthJudge, NeverFreesTheCondemned) {
  Device device;
  device.judge().QuarantineForGood("it is another machine");
  device.Until(HealthState::kHealthy, kUsual);
  EXPECT_EQ(device.judge().state(), HealthState::kQuarantined);
  EXPECT_EQ(device.judge().why(), "it is another machine");
}

}  // namespace
}  // namespace hone
