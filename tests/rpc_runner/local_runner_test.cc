#include "rpc_runner/local_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <limits>
#include <thread>

#include "tests/rpc_runner/kernel_fixture.h"

namespace hone {
namespace {

TEST(LocalRunner, MeasuresARightKernel) {
  LocalRunner runner({});
  const Measurement measurement = RunJob(runner, DenseJob());
  EXPECT_EQ(measurement.fate, Fate::kOk) << measurement.message;
  EXPECT_GE(measurement.samples_ns.size(), 3u);
  EXPECT_EQ(measurement.batch.size(), measurement.samples_ns.size());
  EXPECT_GT(measurement.MinNs(), 0);
  EXPECT_LE(measurement.worst_error, 1);
  EXPECT_GT(measurement.wall_ns, 0);
  EXPECT_EQ(measurement.environment.cores, runner.Describe().cores);
  EXPECT_THAT(measurement.environment.isolation, testing::HasSubstr("fork,rlimit,guard"));
}

TEST(LocalRunner, MeasuresWarmAndOnTwoThreads) {
  LocalRunner runner({});
  if (runner.Describe().cores < 2) GTEST_SKIP() << "one core";
  KernelJob job = DenseJob();
  job.timing.cache = CacheMode::kWarm;
  job.timing.threads = 2;
  EXPECT_EQ(RunJob(runner, job).fate, Fate::kOk);
}

TEST(LocalRunner, PacksBlockedLayoutsAndWatchesTheirLanes) {
  LocalRunner runner({});
  const Measurement right = RunJob(runner, TwiceJob());
  EXPECT_EQ(right.fate, Fate::kOk) << right.message;
  EXPECT_EQ(right.worst_error, 0);
  EXPECT_EQ(RunJob(runner, TwiceJob("twice_lanes")).fate, Fate::kWrongOutput);
}

TEST(LocalRunner, AnswersInOrderAndKeepsItsSlots) {
  LocalRunner runner({});
  std::vector<JobId> ids;
  while (runner.FreeSlots() > 0) ids.push_back(runner.Submit(DenseJob()));
  EXPECT_EQ(ids.size(), 3u);
  for (JobId id : ids) {
    JobResult result;
    ASSERT_TRUE(runner.Wait(-1, &result));
    EXPECT_EQ(result.id, id);
  }
  JobResult none;
  EXPECT_FALSE(runner.Wait(-1, &none));
}

TEST(LocalRunner, WaitGivesUpInTime) {
  LocalRunner runner({});
  KernelJob job = DenseJob("dense_loop");
  job.timing.deadline_ns = 500'000'000;
  runner.Submit(job);
  JobResult result;
  EXPECT_FALSE(runner.Wait(1'000'000, &result));
  EXPECT_TRUE(runner.Wait(-1, &result));
  EXPECT_EQ(result.measurement.fate, Fate::kTimedOut);
}

TEST(LocalRunner, TriesAgainWhenTheExecutorIsKilled) {
  LocalRunner runner({});
  KernelJob slow = DenseJob("dense_loop");
  slow.timing.deadline_ns = 300'000'000;
  runner.Submit(slow);
  const JobId second = runner.Submit(DenseJob());
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  kill(runner.executor_pid(), SIGKILL);
  JobResult result;
  ASSERT_TRUE(runner.Wait(-1, &result));
  EXPECT_EQ(result.measurement.fate, Fate::kTimedOut) << result.measurement.message;
  ASSERT_TRUE(runner.Wait(-1, &result));
  EXPECT_EQ(result.id, second);
  EXPECT_EQ(result.measurement.fate, Fate::kOk) << result.measurement.message;
}

TEST(LocalRunner, GivesAJobUpWhenTheExecutorDiesTwice) {
  LocalRunner runner({});
  runner.Submit(DenseJob("dense_loop"));
  const JobId second = runner.Submit(DenseJob());
  JobResult result;
  for (int i = 0; i < 2; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    kill(runner.executor_pid(), SIGKILL);
    if (i > 0) break;
    EXPECT_FALSE(runner.Wait(100'000'000, &result));
  }
  ASSERT_TRUE(runner.Wait(-1, &result));
  EXPECT_EQ(result.measurement.fate, Fate::kRunnerLost);
  ASSERT_TRUE(runner.Wait(-1, &result));
  EXPECT_EQ(result.id, second);
  EXPECT_EQ(result.measurement.fate, Fate::kOk);
}

TEST(LocalRunner, RefusesWhatCannotBeRun) {
  LocalRunner runner({});
  KernelJob threads = DenseJob();
  threads.timing.threads = 1000;
  EXPECT_EQ(RunJob(runner, threads).fate, Fate::kUnsupported);
  KernelJob memory = DenseJob();
  memory.timing.memory_bytes = 1000;
  EXPECT_EQ(RunJob(runner, memory).fate, Fate::kOutOfMemory);
  KernelJob symbol = DenseJob();
  symbol.artifact.stages[0].symbol = "absent";
  EXPECT_EQ(RunJob(runner, symbol).fate, Fate::kUnsupported);
  KernelJob damaged = DenseJob();
  damaged.artifact.elf.resize(100);
  EXPECT_EQ(RunJob(runner, damaged).fate, Fate::kPolicyViolation);
  KernelJob foreign = DenseJob();
  foreign.artifact.elf[18] = 8;  // e_machine: MIPS
  foreign.artifact.elf[19] = 0;
  EXPECT_EQ(RunJob(runner, foreign).fate, Fate::kUnsupported);
  KernelJob tolerance = DenseJob();
  tolerance.tolerance = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(RunJob(runner, tolerance).fate, Fate::kUnsupported);
}

// A forged clock reports less time than the arithmetic takes.
TEST(LocalRunner, BelievesNoTimeThatItsArithmeticCannotReach) {
  LocalRunner runner({});
  if (runner.Describe().emulated) GTEST_SKIP() << "an emulator's arithmetic says nothing";
  KernelJob job = DenseJob();
  int64_t true_count = 1;
  for (const int64_t extent : job.artifact.operands[0].shape) true_count *= extent;
  true_count *= job.artifact.operands[1].shape[0];
  job.multiply_adds = true_count;
  const Measurement honest = RunJob(runner, job);
  EXPECT_EQ(FateName(honest.fate), "Ok") << honest.message;
  // At 10,000 multiply-adds a ns these take a second.
  job.multiply_adds = 10'000'000'000'000;
  const Measurement forged = RunJob(runner, job);
  EXPECT_EQ(FateName(forged.fate), "PolicyViolation");
  EXPECT_THAT(forged.message, testing::HasSubstr("or more on this machine"));
  EXPECT_TRUE(forged.samples_ns.empty());
}

TEST(LocalRunner, SaysWhenTheReferenceIsAtFault) {
  LocalRunner runner({});
  KernelJob job = DenseJob();
  job.reference.stages[0].symbol = "absent";
  const Measurement measurement = RunJob(runner, job);
  EXPECT_EQ(measurement.fate, Fate::kCancelled);
  EXPECT_EQ(measurement.detail, static_cast<int32_t>(ExitCode::kNoRunner));
  EXPECT_THAT(measurement.message, testing::HasSubstr("reference"));
}

}  // namespace
}  // namespace hone
