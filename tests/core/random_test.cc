#include "core/random.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hone {
namespace {

TEST(Random, StreamIsTheOneOfXoshiroSeededBySplitmix) {
  // The first output is rotl(s1 * 5, 7) * 9, with s1 the second output of splitmix64 from 0.
  const uint64_t s1 = 0x6e789e6aa1b965f4ULL;
  EXPECT_EQ(MixBits(2 * 0x9e3779b97f4a7c15ULL), s1);
  const uint64_t x = s1 * 5;
  EXPECT_EQ(Random(0).Next(), ((x << 7) | (x >> 57)) * 9);
}

TEST(Random, BelowStaysBelowAndReachesAll) {
  Random random(7);
  int seen[5] = {};
  for (int i = 0; i < 5000; ++i) ++seen[random.Below(5)];
  for (int count : seen) EXPECT_NEAR(count, 1000, 150);
  EXPECT_EQ(random.Below(1), 0U);
}

TEST(Random, UniformIsInTheUnitInterval) {
  Random random(1);
  double sum = 0;
  for (int i = 0; i < 10000; ++i) {
    const double value = random.Uniform();
    ASSERT_GE(value, 0);
    ASSERT_LT(value, 1);
    sum += value;
  }
  EXPECT_NEAR(sum / 10000, 0.5, 0.02);
}

TEST(Random, NormalHasZeroMeanAndUnitVariance) {
  Random random(3);
  double sum = 0, squares = 0;
  constexpr int kCount = 100000;
  for (int i = 0; i < kCount; ++i) {
    const double value = random.Normal();
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / kCount, 0, 0.02);
  EXPECT_NEAR(squares / kCount, 1, 0.02);
}

TEST(Random, NormalIsSymmetricAndBounded) {
  EXPECT_EQ(NormalFromBits(0), -NormalFromBits(~uint64_t{0}));
  EXPECT_LT(NormalFromBits(~uint64_t{0}), 3.465F);
}

}  // namespace
}  // namespace hone
