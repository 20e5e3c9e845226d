#include <gtest/gtest.h>

#include "cli/printing/tune_output.h"

namespace hone {
namespace {

constexpr int64_t kMs = 1'000'000;

// 25 tasks whose first trial takes 300 ms, then trials of 20 to 30 ms, reported in batches of 16 as the tuner does.
TEST(TimeLeft, IsRightWithinAFifthFromAQuarterOn) {
  constexpr int kTrials = 800;
  std::vector<int64_t> told_ns;
  int64_t clock_ns = 0;
  for (int i = 0; i < kTrials; ++i) {
    clock_ns += i < 25 ? 300 * kMs : (20 + i * 7 % 11) * kMs;
    if (i % 16 == 15 || i + 1 == kTrials) told_ns.resize(static_cast<size_t>(i) + 1, clock_ns);
  }
  TimeLeft left({kTrials, 0});
  for (int i = 0; i < kTrials; ++i) {
    left.Trial(i + 1, told_ns[static_cast<size_t>(i)]);
    // Checked at the end of each batch. Near the end one batch is more than a fifth of the time left.
    if (i < kTrials / 4 || i % 16 != 15 || i > kTrials - 100) continue;
    ASSERT_TRUE(left.Ns());
    const double true_ns = static_cast<double>(clock_ns - told_ns[static_cast<size_t>(i)]);
    EXPECT_NEAR(static_cast<double>(*left.Ns()), true_ns, 0.2 * true_ns) << "after trial " << i + 1;
  }
  EXPECT_FALSE(left.Ns());
}

TEST(TimeLeft, CountsTheTrialsOfEarlierRuns) {
  TimeLeft left({1000, 0});
  left.Trial(901, 10 * kMs);
  left.Trial(902, 20 * kMs);
  EXPECT_EQ(left.Ns(), 98 * 10 * kMs);
}

TEST(TimeLeft, TakesTheNearerOfBothBudgets) {
  TimeLeft left({1000, 5'000 * kMs});
  EXPECT_FALSE(left.Ns());
  left.Trial(1, 10 * kMs);
  EXPECT_EQ(left.Ns(), 4'990 * kMs);
  TimeLeft few({11, 5'000 * kMs});
  few.Trial(1, 10 * kMs);
  EXPECT_EQ(few.Ns(), 100 * kMs);
}

}  // namespace
}  // namespace hone
