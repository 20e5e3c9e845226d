#include <gtest/gtest.h>

#include <cmath>

#include "core/random.h"
#include "core/stats/sample_statistics.h"

namespace hone {
namespace {

std::vector<int64_t> Drawn(Random& random, size_t n, int64_t shift) {
  std::vector<int64_t> values;
  for (size_t i = 0; i < n; ++i) values.push_back(static_cast<int64_t>(1e6 + 1e4 * random.Normal()) + shift);
  return values;
}

TEST(MannWhitney, OfApartSamplesCountsEveryPair) {
  const RankTest test = MannWhitney({1, 2, 3}, {4, 5, 6});
  EXPECT_DOUBLE_EQ(test.u, 9);
  EXPECT_NEAR(test.p, 2.0 / 20, 1e-12);  // the two extremes of the 20 arrangements
}

TEST(MannWhitney, IsTheTextbooksExactly) {
  // Mann and Whitney's table of the distribution, n = m = 4: u <= 1 in 2 of 70 arrangements.
  EXPECT_NEAR(MannWhitney({1, 2, 3, 5}, {4, 6, 7, 8}).p, 2 * 2.0 / 70, 1e-12);
  // n = 3, m = 5, u = 2: 1 + 1 + 2 of 56 arrangements.
  EXPECT_NEAR(MannWhitney({1, 3, 4}, {2, 5, 6, 7, 8}).p, 2 * 4.0 / 56, 1e-12);
}

TEST(MannWhitney, DoesNotCareWhichIsWhich) {
  const std::vector<int64_t> a = {5, 9, 1, 14, 3}, b = {2, 8, 20, 21, 7, 30};
  EXPECT_DOUBLE_EQ(MannWhitney(a, b).p, MannWhitney(b, a).p);
  EXPECT_DOUBLE_EQ(MannWhitney(a, b).u + MannWhitney(b, a).u, 30);
}

TEST(MannWhitney, TiesCountHalfAndWidenNothing) {
  EXPECT_DOUBLE_EQ(MannWhitney({1, 2}, {2, 3}).u, 3.5);
  EXPECT_DOUBLE_EQ(MannWhitney({4, 4, 4}, {4, 4}).p, 1);
  EXPECT_DOUBLE_EQ(MannWhitney({}, {1}).p, 1);
}

// By hand: ranks 1, 2.5, 2.5, 4 .. for {1,2,2,5,6,7} against {2,8,9,9,10,11}; u = 33, one group of three and one of
// two.
TEST(MannWhitney, TheApproximationCorrectsForTiesAndContinuity) {
  const RankTest test = MannWhitney({1, 2, 2, 5, 6, 7}, {2, 8, 9, 9, 10, 11});
  EXPECT_DOUBLE_EQ(test.u, 6 + 5.5 + 5.5 + 5 + 5 + 5);
  const double variance = 36.0 / 12 * (13 - (24.0 + 6.0) / (12 * 11));
  EXPECT_NEAR(test.p, std::erfc((32 - 18 - 0.5) / std::sqrt(2 * variance)), 1e-12);
}

TEST(MannWhitney, BothWaysOfCountingAgree) {
  Random random(3);
  for (int i = 0; i < 20; ++i) {
    std::vector<int64_t> a = Drawn(random, 25, 0), b = Drawn(random, 25, 5'000);
    const double exact = MannWhitney(a, b).p;
    a.push_back(1'000'000);  // one more value than is counted exactly
    b.push_back(1'000'001);
    EXPECT_NEAR(MannWhitney(a, b).p, exact, 0.06);
  }
}

TEST(MannWhitney, CallsEqualSamplesDifferentAsOftenAsItSays) {
  Random random(1);
  int different = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::vector<int64_t> a = Drawn(random, 15, 0);
    different += MannWhitney(a, Drawn(random, 15, 0)).p < 0.05 ? 1 : 0;
  }
  EXPECT_GT(different, 60);
  EXPECT_LT(different, 130);
}

}  // namespace
}  // namespace hone
