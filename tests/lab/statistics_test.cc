#include "core/stats/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace hone {
namespace {

std::vector<int64_t> OneTo(int64_t n) {
  std::vector<int64_t> v(static_cast<size_t>(n));
  std::iota(v.begin(), v.end(), 1);
  return v;
}

TEST(Statistics, OfNothingAreZero) { EXPECT_EQ(StatisticsOf({}).min_ns, 0); }

TEST(Statistics, OfOneSampleAreThatSample) {
  const Statistics s = StatisticsOf({7});
  EXPECT_EQ(s.min_ns, 7);
  EXPECT_EQ(s.p90_ns, 7);
  EXPECT_EQ(s.median_low_ns, 7);
  EXPECT_EQ(s.median_high_ns, 7);
}

TEST(Statistics, DoNotDependOnTheOrder) {
  std::vector<int64_t> reversed = OneTo(101);
  std::reverse(reversed.begin(), reversed.end());
  const Statistics s = StatisticsOf(reversed);
  EXPECT_EQ(s.min_ns, 1);
  EXPECT_EQ(s.p10_ns, 11);
  EXPECT_EQ(s.median_ns, 51);
  EXPECT_EQ(s.p90_ns, 91);
  EXPECT_EQ(s.p99_ns, 100);
}

TEST(Statistics, BoundTheMedianByOrderStatistics) {
  // For n = 100 the textbook gives the ranks 40 and 61.
  const Statistics s = StatisticsOf(OneTo(100));
  EXPECT_EQ(s.median_low_ns, 40);
  EXPECT_EQ(s.median_high_ns, 61);
}

}  // namespace
}  // namespace hone
