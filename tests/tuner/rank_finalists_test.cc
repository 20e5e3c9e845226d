#include <gtest/gtest.h>

#include "tuner/finals_outcome.h"

namespace hone {
namespace {

using Least = std::vector<std::vector<int64_t>>;

std::vector<int64_t> Around(int64_t ns) { return {ns, ns + 3, ns + 1, ns + 7, ns + 2, ns + 5, ns + 4}; }

TEST(RankFinalists, AFasterChallengerReplacesTheIncumbent) {
  const FinalsVerdict verdict = RankFinalists({Around(10'000), Around(9'500)}, 0);
  EXPECT_EQ(verdict.winner, 1U);
  EXPECT_TRUE(verdict.standings[1].differs);
  EXPECT_NEAR(verdict.standings[1].gain, 0.05, 1e-3);
  EXPECT_EQ(verdict.standings[1].place, 1);
  EXPECT_EQ(verdict.standings[0].place, 2);
}

TEST(RankFinalists, IgnoresAGainBelowOnePercent) {
  const FinalsVerdict verdict = RankFinalists({Around(10'000), Around(9'920)}, 0);
  EXPECT_LT(verdict.standings[1].p, 0.01);
  EXPECT_FALSE(verdict.standings[1].differs);
  EXPECT_EQ(verdict.winner, 0U);
  EXPECT_EQ(verdict.standings[0].place, 1);
}

TEST(RankFinalists, IgnoresALargeGainThatMayBeChance) {
  const FinalsVerdict verdict =
      RankFinalists({{100, 300, 110, 290, 105, 310, 115}, {90, 280, 95, 285, 92, 270, 93}}, 0);
  EXPECT_GT(verdict.standings[1].gain, 0.1);
  EXPECT_GT(verdict.standings[1].p, 0.05);
  EXPECT_EQ(verdict.winner, 0U);
}

TEST(RankFinalists, TheFastestOfThoseThatDifferWins) {
  const FinalsVerdict verdict = RankFinalists({Around(9'700), Around(10'000), Around(9'000), Around(10'500)}, 1);
  EXPECT_EQ(verdict.winner, 2U);
  EXPECT_TRUE(verdict.standings[3].differs);
  EXPECT_LT(verdict.standings[3].gain, 0);
  EXPECT_EQ(verdict.standings[0].place, 2);
  EXPECT_EQ(verdict.standings[3].place, 4);
}

// Three rounds reach at best p = 0.1, so no challenger may win by them.
TEST(RankFinalists, TooFewRoundsDecideNothing) {
  EXPECT_EQ(RankFinalists({{100, 101, 102}, {50, 51, 52}}, 0).winner, 0U);
}

// Complete separation in five rounds gives p = 0.0079, which seven challengers make 0.055.
TEST(RankFinalists, ManyChallengersMustBeSurer) {
  const std::vector<int64_t> slow = {200, 201, 202, 203, 204}, fast = {100, 101, 102, 103, 104};
  EXPECT_EQ(RankFinalists({slow, fast, slow}, 0).winner, 1U);
  EXPECT_EQ(RankFinalists({slow, fast, slow, slow, slow, slow, slow, slow}, 0).winner, 0U);
}

}  // namespace
}  // namespace hone
