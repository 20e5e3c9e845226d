#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/random.h"
#include "core/stats/sample_statistics.h"

namespace hone {
namespace {

// Data of Hollander and Wolfe, table 3.1: depression before and after a tranquilliser.
const std::vector<double> kPairs = {0.878 - 1.83, 0.647 - 0.50, 0.598 - 1.62, 2.05 - 2.48, 1.06 - 1.68,
                                    1.29 - 1.88,  1.06 - 1.55,  3.14 - 3.06,  1.29 - 1.30};
// Data of table 4.1: permeability of membranes at term and early.
const std::vector<double> kTerm = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
const std::vector<double> kEarly = {1.15, 0.88, 0.90, 0.74, 1.21};

TEST(Shift, OfPairsIsTheTextbooks) {
  const Shift shift = ShiftOfPairs(kPairs, 0.96);
  EXPECT_NEAR(shift.value, -0.46, 1e-9);
  EXPECT_NEAR(shift.low, -0.786, 1e-9);
  EXPECT_NEAR(shift.high, -0.010, 1e-9);
  EXPECT_TRUE(shift.bounded);
  EXPECT_NEAR(ShiftOfPairs(kPairs, 0.99).low, -0.987, 1e-9);
}

TEST(Shift, OfSamplesIsTheTextbooks) {
  const Shift shift = ShiftOfSamples(kTerm, kEarly, 0.96);
  EXPECT_NEAR(shift.value, -0.305, 1e-9);
  EXPECT_NEAR(shift.low, -0.76, 1e-9);
  EXPECT_NEAR(shift.high, 0.15, 1e-9);
  EXPECT_NEAR(ShiftOfSamples(kTerm, kEarly, 0.99).low, -1.01, 1e-9);
}

TEST(Shift, SaysWhenThereAreTooFewValues) {
  EXPECT_FALSE(ShiftOfPairs({1, 2, 3, 4, 5, 6, 7}, 0.99).bounded);  // all of one sign: p = 2/128
  EXPECT_TRUE(ShiftOfPairs({1, 2, 3, 4, 5, 6, 7, 8}, 0.99).bounded);
  EXPECT_FALSE(ShiftOfSamples({1, 2, 3, 4}, {5, 6, 7, 8}, 0.99).bounded);  // fully separated: p = 2/70
  EXPECT_TRUE(ShiftOfSamples({1, 2, 3, 4, 5}, {5, 6, 7, 8, 9}, 0.99).bounded);
  EXPECT_EQ(ShiftOfPairs({3}, 0.99).high, 3);
  EXPECT_EQ(ShiftOfPairs({}, 0.99).value, 0);
  EXPECT_EQ(ShiftOfSamples({}, {1}, 0.99).value, 0);
}

// Coverage holds for any symmetric distribution.
TEST(Shift, CoversTheTruthAsOftenAsItSays) {
  Random random(7);
  int pairs_missed = 0, samples_missed = 0;
  constexpr int kTimes = 4000;
  for (int time = 0; time < kTimes; ++time) {
    std::vector<double> pairs, a, b;
    for (int i = 0; i < 10; ++i) {
      const double wide = random.Below(5) == 0 ? 20 : 1;
      pairs.push_back(3 + wide * random.Normal());
      a.push_back(wide * random.Normal());
      b.push_back(3 + wide * random.Normal());
    }
    const Shift of_pairs = ShiftOfPairs(pairs, 0.95), of_samples = ShiftOfSamples(a, b, 0.95);
    pairs_missed += of_pairs.low > 3 || of_pairs.high < 3;
    samples_missed += of_samples.low > 3 || of_samples.high < 3;
  }
  // The exact levels at these sizes are 4.9 % and 4.3 %.
  EXPECT_NEAR(static_cast<double>(pairs_missed) / kTimes, 0.049, 0.012);
  EXPECT_NEAR(static_cast<double>(samples_missed) / kTimes, 0.043, 0.015);
}

TEST(SignedRank, IsTheTextbooksExactly) {
  EXPECT_NEAR(SignedRankP(kPairs), 0.0390625, 1e-12);
  EXPECT_NEAR(SignedRankP({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}), 2.0 / 1024, 1e-12);
  std::vector<double> turned = kPairs;
  for (double& d : turned) d = -d;
  EXPECT_DOUBLE_EQ(SignedRankP(turned), SignedRankP(kPairs));
}

TEST(SignedRank, GivesTiesTheirMeanRankAndLeavesZerosOut) {
  // Counted over all 512 signs of the nine that are not zero.
  EXPECT_NEAR(SignedRankP({3, -1, 2, 2, -2, 5, 0, 4, 1, 6}), 0.05078125, 1e-12);
  EXPECT_DOUBLE_EQ(SignedRankP({0, 0, 0}), 1);
  EXPECT_DOUBLE_EQ(SignedRankP({}), 1);
}

}  // namespace
}  // namespace hone
