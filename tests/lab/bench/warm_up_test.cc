#include <gtest/gtest.h>

#include "lab/bench/timed_package.h"

namespace hone {
namespace {

int64_t RunsUntilOver(WarmUp& warm_up, int64_t (*run_ns)(int64_t run)) {
  int64_t runs = 0;
  while (!warm_up.over()) warm_up.Add(run_ns(runs++));
  return runs;
}

TEST(WarmUp, OfSteadyRunsEndsAfterTwoWindows) {
  WarmUp warm_up(0, 1'000'000);
  EXPECT_EQ(RunsUntilOver(warm_up, [](int64_t) -> int64_t { return 1000; }), 10);
  EXPECT_TRUE(warm_up.settled());
  EXPECT_EQ(warm_up.run_ns(), 1000);
}

TEST(WarmUp, LastsAtLeastSoLong) {
  WarmUp warm_up(50'000, 1'000'000);
  EXPECT_EQ(RunsUntilOver(warm_up, [](int64_t) -> int64_t { return 1000; }), 50);
}

TEST(WarmUp, ContinuesWhileRunsBecomeFaster) {
  WarmUp warm_up(0, 100'000'000);
  // Falls by 1 % per run until run 40.
  const int64_t runs =
      RunsUntilOver(warm_up, [](int64_t run) -> int64_t { return run < 40 ? 100'000 - 1'000 * run : 60'000; });
  EXPECT_GE(runs, 40);
  EXPECT_LE(runs, 50);
  EXPECT_TRUE(warm_up.settled());
}

TEST(WarmUp, IsNotHeldUpByAStall) {
  WarmUp warm_up(0, 100'000'000);
  EXPECT_EQ(RunsUntilOver(warm_up, [](int64_t run) -> int64_t { return run == 7 ? 9'000'000 : 1000; }), 10);
}

TEST(WarmUp, EndsUnsettledWhenItsTimeIsOver) {
  WarmUp warm_up(0, 1'000'000);
  RunsUntilOver(warm_up, [](int64_t run) -> int64_t { return 300'000 - 50'000 * run; });
  EXPECT_FALSE(warm_up.settled());
}

TEST(WarmUp, IsUnknownBeforeTheFirstRun) { EXPECT_EQ(WarmUp(0, 1).run_ns(), 0); }

}  // namespace
}  // namespace hone
