#include <gtest/gtest.h>

#include <numeric>

#include "core/random.h"
#include "core/stats/sample_statistics.h"

namespace hone {
namespace {

std::vector<int64_t> OneTo(int64_t n) {
  std::vector<int64_t> v(static_cast<size_t>(n));
  std::iota(v.begin(), v.end(), 1);
  return v;
}

TEST(MedianInterval, OfNothingIsZero) { EXPECT_EQ(MedianOf({}).high, 0); }

TEST(MedianInterval, OfFewIsTheWholeRange) {
  const MedianInterval median = MedianOf({5, 1, 3});
  EXPECT_EQ(median.median, 3);
  EXPECT_EQ(median.low, 1);
  EXPECT_EQ(median.high, 5);
}

TEST(MedianInterval, HasTheTextbooksRanks) {
  const MedianInterval median = MedianOf(OneTo(100));
  EXPECT_EQ(median.low, 40);
  EXPECT_EQ(median.high, 61);
}

TEST(MedianInterval, HoldsTheMedianAsOftenAsItSays) {
  Random random(1);
  int held = 0;
  for (int i = 0; i < 2000; ++i) {
    std::vector<int64_t> samples;
    for (int k = 0; k < 45; ++k) samples.push_back(static_cast<int64_t>(1e6 * random.Uniform()));
    const MedianInterval median = MedianOf(std::move(samples));
    held += median.low <= 500'000 && 500'000 <= median.high ? 1 : 0;
  }
  EXPECT_GT(held, 1880);
}

}  // namespace
}  // namespace hone
