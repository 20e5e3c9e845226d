#include <gtest/gtest.h>

#include "runtime/threads/thread_state.h"

namespace hone {
namespace {

TEST(CoreClock, GoesOnWhileItsThreadRuns) {
  const CoreClock clock(pthread_self());
  const int64_t begin = clock.Ns();
  while (clock.Ns() == begin) {
  }
  EXPECT_GT(clock.Ns(), begin);
}

TEST(TimeAway, IsAHundredTimesWhatTheWorkerDidNotRun) { EXPECT_EQ(TimeAwayNs(3'000'000, 200'000), 280'000'000); }

TEST(TimeAway, IsZeroForABusyWorker) {
  EXPECT_EQ(TimeAwayNs(3'000'000, 3'000'000), 0);
  EXPECT_EQ(TimeAwayNs(3'000'000, 1'500'000), 0);
  EXPECT_EQ(TimeAwayNs(0, 0), 0);
}

TEST(TimeAway, IsASecondAtMost) { EXPECT_EQ(TimeAwayNs(int64_t{1} << 62, 0), 1'000'000'000); }

}  // namespace
}  // namespace hone
