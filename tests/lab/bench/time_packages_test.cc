#include "lab/bench/time_packages.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TimePackagesOptions ForTime(int64_t min_time_ns) {
  TimePackagesOptions options;
  options.min_time_ns = min_time_ns;
  return options;
}

TimePackagesOptions ForRuns(int64_t runs) {
  TimePackagesOptions options;
  options.runs = runs;
  return options;
}

using Batches = std::vector<int64_t>;

TEST(RunsPerSample, IsOneOfWhateverIsSlow) {
  EXPECT_EQ(RunsPerSample({5'000'000}, ForTime(1'000'000'000)), Batches{1});
  EXPECT_EQ(RunsPerSample({60'000}, ForTime(1'000'000'000)), Batches{1});
  EXPECT_EQ(RunsPerSample({5'000'000, 4'000'000}, ForTime(1'000'000'000)), (Batches{1, 1}));
}

TEST(RunsPerSample, LeavesTenThousandSamplesOfAQuickModel) {
  EXPECT_EQ(RunsPerSample({1'000}, ForTime(1'000'000'000)), Batches{100});
  EXPECT_EQ(RunsPerSample({0}, ForTime(1'000'000'000)), Batches{100'000});
}

TEST(RunsPerSample, SamplesOfUnlikePackagesLastAlike) {
  EXPECT_EQ(RunsPerSample({1'000, 2'000'000}, ForTime(1'000'000'000)), (Batches{2'000, 1}));
}

// Copies of one package whose warm-ups were disturbed differently.
TEST(RunsPerSample, IsAlikeForPackagesThatMayBeAsFast) {
  EXPECT_EQ(RunsPerSample({50'000, 52'000}, ForTime(1'000'000'000)), (Batches{1, 1}));
  EXPECT_EQ(RunsPerSample({9'000, 6'100}, ForTime(1'000'000'000)), (Batches{11, 11}));
  EXPECT_EQ(RunsPerSample({5'000'000, 3'400'000}, ForTime(1'000'000'000)), (Batches{1, 1}));
  EXPECT_EQ(RunsPerSample({5'000'000, 2'500'000, 1'000'000}, ForTime(1'000'000'000)), (Batches{1, 1, 1}));
  EXPECT_EQ(RunsPerSample({5'000'000, 2'500'000, 500'000}, ForTime(1'000'000'000)), (Batches{1, 1, 10}));
}

TEST(RunsPerSample, IsAlikeWhenRunsAreGiven) {
  EXPECT_EQ(RunsPerSample({1'000, 2'000'000}, ForRuns(20)), (Batches{1, 1}));
  EXPECT_EQ(RunsPerSample({1'000, 2'000'000}, ForRuns(25'000)), (Batches{3, 3}));
}

TEST(RunsOfRound, SumUpToAllAndAreEven) {
  for (const int64_t runs : {10, 13, 20, 99}) {
    int64_t sum = 0;
    for (int round = 0; round < 10; ++round) {
      const int64_t of_round = RunsOfRound(runs, round, 10);
      EXPECT_GE(of_round, runs / 10);
      EXPECT_LE(of_round, runs / 10 + 1);
      sum += of_round;
    }
    EXPECT_EQ(sum, runs);
  }
}

}  // namespace
}  // namespace hone
