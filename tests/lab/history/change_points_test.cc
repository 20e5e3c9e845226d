// Change points are found where a level changes, and not in noise.
#include "core/stats/change_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace hone {
namespace {

using testing::IsEmpty;

// Levels, each with its number of values, and normal noise of this standard deviation.
std::vector<double> Levels(const std::vector<std::pair<int, double>>& levels, double noise, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, noise);
  std::vector<double> values;
  for (const auto& [count, level] : levels) {
    for (int i = 0; i < count; ++i) values.push_back(level + normal(random));
  }
  return values;
}

TEST(ChangePoints, FindsEachLevelAndItsMedians) {
  const auto found = ChangePoints(Levels({{20, 10}, {15, 12}, {25, 9}}, 0.2, 5), 0.01);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].at, 20U);
  EXPECT_EQ(found[1].at, 35U);
  EXPECT_NEAR(found[0].before, 10, 0.2);
  EXPECT_NEAR(found[0].after, 12, 0.2);
  EXPECT_NEAR(found[1].before, 12, 0.2);
  EXPECT_NEAR(found[1].after, 9, 0.2);
  EXPECT_LE(found[0].p, 0.01);
}

TEST(ChangePoints, OfNoiseAreAsRareAsTheyMayBe) {
  int alarms = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) alarms += ChangePoints(Levels({{30, 10}}, 1, seed), 0.01).empty() ? 0 : 1;
  EXPECT_LE(alarms, 8) << "of 200 series without a change, at 1 %";
}

TEST(ChangePoints, OfThreeTimesTheNoiseAreFound) {
  int found = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    for (const ChangePoint& change : ChangePoints(Levels({{12, 10}, {12, 13}}, 1, seed), 0.01)) {
      found += change.at >= 11 && change.at <= 13 ? 1 : 0;
    }
  }
  EXPECT_GE(found, 43) << "of 50, to one value";
}

TEST(ChangePoints, DoesNotReportOneOutlier) {
  std::vector<double> values = Levels({{30, 10}}, 0.1, 3);
  values[17] = 100;
  EXPECT_THAT(ChangePoints(values, 0.01), IsEmpty());
}

TEST(ChangePoints, AreNoneOfTooFewOrEqualValues) {
  EXPECT_THAT(ChangePoints({}, 0.01), IsEmpty());
  EXPECT_THAT(ChangePoints({1, 1, 1, 9, 9, 9, 9}, 0.01), IsEmpty());
  EXPECT_THAT(ChangePoints(std::vector<double>(40, 3), 0.01), IsEmpty());
}

}  // namespace
}  // namespace hone
