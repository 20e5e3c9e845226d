#include "lab/bench/until_told.h"

#include <gtest/gtest.h>

#include <vector>

namespace hone {
namespace {

constexpr int64_t kHourNs = 3'600'000'000'000;

TimedPackage WithRounds(const std::vector<int64_t>& p10_ns) {
  TimedPackage timed;
  for (const int64_t ns : p10_ns) timed.rounds.push_back({ns, ns, 1});
  return timed;
}

const TimedPackage kSteady = WithRounds({1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008, 1009});
const TimedPackage kWild = WithRounds({900, 1100, 1000, 800, 1200, 1010, 990, 1300, 700, 1000});
const TimedPackage kSlow = WithRounds({2000, 2010, 2020, 2030, 2040, 2050, 2060, 2070, 2080, 2090});

TEST(UntilTold, GoesOnWhileAVerdictCannotBeTold) {
  UntilTold until(kHourNs, 0.02, UntilTold::Against::kFirst);
  EXPECT_TRUE(until({kSteady, kWild}));
  EXPECT_TRUE(until({kSteady, kSlow, kWild}));
  EXPECT_FALSE(until({kSteady, kSlow}));
  EXPECT_FALSE(until({kSteady, kSteady}));
  EXPECT_FALSE(until({kSteady}));
  EXPECT_FALSE(until({}));
}

TEST(UntilTold, AsksAboutTheLeastIfToldSo) {
  const TimedPackage slow_and_wild = WithRounds({1800, 2200, 2000, 1600, 2400, 2020, 1980, 2600, 1400, 2000});
  UntilTold first(kHourNs, 0.02, UntilTold::Against::kFirst), least(kHourNs, 0.02, UntilTold::Against::kLeast);
  EXPECT_TRUE(first({kSlow, slow_and_wild, kSteady}));
  EXPECT_FALSE(least({kSlow, slow_and_wild, kSteady}));
}

TEST(UntilTold, LeavesOutWhatFailed) {
  UntilTold until(kHourNs, 0.02, UntilTold::Against::kFirst);
  EXPECT_FALSE(until({WithRounds({1000, 1200}), kSteady, kSlow}));
  EXPECT_FALSE(until({WithRounds({}), kSteady}));
}

TEST(UntilTold, EndsWithItsTime) {
  UntilTold until(0, 0.02, UntilTold::Against::kFirst);
  EXPECT_FALSE(until({kSteady, kWild}));
}

}  // namespace
}  // namespace hone
