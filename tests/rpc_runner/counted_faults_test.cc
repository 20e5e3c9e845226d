// Faults recur many times over, and each gets the right verdict every time.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/random.h"
#include "rpc_runner/local_runner.h"
#include "rpc_runner/process/clock.h"
#include "tests/rpc_runner/fault_cases.h"
#include "tests/rpc_runner/kernel_fixture.h"
#include "tests/rpc_runner/network_fixture.h"
#include "tests/support/asked_count.h"
#include "tests/support/sleeping_executor.h"

namespace hone {
namespace {

constexpr int64_t kMillisecond = 1'000'000;
constexpr int64_t kPatience = 60'000 * kMillisecond;

void Sleep(int64_t ns) { std::this_thread::sleep_for(std::chrono::nanoseconds(ns)); }
double SecondsSince(int64_t begin_ns) { return static_cast<double>(MonotonicNs() - begin_ns) / 1e9; }

// The required fate of each job under way.
using Expected = std::map<JobId, Fate>;

// Waits for all jobs; returns the number of wrong fates.
int TakeAll(Runner& runner, Expected expected) {
  int wrong = 0;
  while (!expected.empty()) {
    JobResult result;
    if (!runner.Wait(kPatience, &result)) {
      ADD_FAILURE() << expected.size() << " jobs did not end";
      return wrong + static_cast<int>(expected.size());
    }
    const auto it = expected.find(result.id);
    if (it == expected.end()) {
      ADD_FAILURE() << "a result came twice";
      ++wrong;
      continue;
    }
    EXPECT_EQ(FateName(result.measurement.fate), FateName(it->second)) << result.measurement.message;
    wrong += result.measurement.fate != it->second;
    expected.erase(it);
  }
  return wrong;
}

TEST(CountedFaults, BadCandidatesAreCalledWhatTheyAre) {
  const int count = AskedCount(5);
  LocalRunner runner({});
  const Environment here = runner.Describe();
  const bool seccomp = here.isolation.find("seccomp") != std::string::npos;
  const pid_t executor = runner.executor_pid();
  int kinds = 0, wrong = 0;
  for (const FaultCase& bad : FaultCases()) {
    // Kernels killed at a deadline take that long, so they are not repeated a thousand times.
    if (bad.fate == Fate::kTimedOut || (bad.needs_seccomp && !seccomp) || bad.threads > here.cores) continue;
    KernelJob job = DenseJob(bad.kernel);
    job.timing.memory_bytes = int64_t{256} << 20;
    job.timing.threads = bad.threads;
    ++kinds;
    for (int i = 0; i < count; ++i) wrong += TakeAll(runner, {{runner.Submit(job), bad.fate}});
  }
  std::printf("%d kinds x %d: %d wrong\n", kinds, count, wrong);
  EXPECT_GE(kinds, 10);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(runner.executor_pid(), executor) << "it was begun anew";
}

// A kernel that ended by itself would be judged right, wrong or crashed.
TEST(CountedFaults, WhatDoesNotEndIsEndedAtItsDeadline) {
  const int count = AskedCount(2);
  LocalRunner runner({});
  const pid_t executor = runner.executor_pid();
  double longest = 0;
  int wrong = 0;
  for (const char* kernel : {"dense_loop", "dense_deaf_loop", "hostile_sleep"}) {
    KernelJob job = DenseJob(kernel);
    job.timing.deadline_ns = 200 * kMillisecond;
    for (int i = 0; i < count; ++i) {
      const int64_t begin_ns = MonotonicNs();
      wrong += TakeAll(runner, {{runner.Submit(job), Fate::kTimedOut}});
      longest = std::max(longest, SecondsSince(begin_ns));
    }
  }
  std::printf("3 kinds x %d: %d wrong, ended after %.0f ms of 200 at most\n", count, wrong, 1e3 * longest);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(runner.executor_pid(), executor) << "it was begun anew";
}

TEST(CountedFaults, AKilledExecutorCostsNoJob) {
  const int count = AskedCount(5);
  LocalRunner runner({});
  Random random(1);
  double longest = 0;
  for (int i = 0; i < count; ++i) {
    const JobId job = runner.Submit(DenseJob());
    Sleep(static_cast<int64_t>(random.Below(4)) * kMillisecond);
    const int64_t begin_ns = MonotonicNs();
    kill(runner.executor_pid(), SIGKILL);
    // The first job may have finished before the kill; then the second one finds the executor gone.
    EXPECT_EQ(TakeAll(runner, {{job, Fate::kOk}}), 0);
    EXPECT_EQ(TakeAll(runner, {{runner.Submit(DenseJob()), Fate::kOk}}), 0);
    longest = std::max(longest, SecondsSince(begin_ns));
  }
  std::printf("executor killed %d times; two jobs later after %.0f ms at most\n", count, 1e3 * longest);
}

TEST(CountedFaults, AKilledRunnerCostsNoVerdict) {
  const int count = AskedCount(2);
  const TrackerThread tracker;
  auto doomed = std::make_unique<RunnerChild>(tracker.address(), "key");
  const auto tuner = MakeRemoteRunner(RemoteTo(tracker, "key"));
  KernelJob loop = DenseJob("dense_loop");
  loop.timing.deadline_ns = 200 * kMillisecond;
  Random random(2);
  int wrong = 0;
  double longest = 0;
  for (int i = 0; i < count; ++i) {
    auto heir = std::make_unique<RunnerChild>(tracker.address(), "key");
    Expected expected;
    for (int job = 0; job < 4; ++job) {
      const bool right = job % 2 == 0;
      expected[tuner->Submit(right ? DenseJob() : loop)] = right ? Fate::kOk : Fate::kTimedOut;
    }
    Sleep(static_cast<int64_t>(random.Below(400)) * kMillisecond);
    const int64_t begin_ns = MonotonicNs();
    doomed->Kill(SIGKILL);
    wrong += TakeAll(*tuner, expected);
    longest = std::max(longest, SecondsSince(begin_ns));
    doomed = std::move(heir);
  }
  std::printf("runner killed %d times: %d wrong fates, the last job ended after %.1f s at most\n", count, wrong,
              longest);
  EXPECT_EQ(wrong, 0);
}

TEST(CountedFaults, ATrackerThatGoesCostsNoJob) {
  const int count = AskedCount(2);
  auto tracker = std::make_unique<TrackerThread>();
  const std::string address = tracker->address();
  std::vector<std::unique_ptr<SleepingRunner>> runners;
  for (const char* host : {"a", "b", "c"}) {
    runners.push_back(std::make_unique<SleepingRunner>(OfferTo(address, "key"), 20 * kMillisecond, FakeMachine(host)));
  }
  const auto tuner = MakeRemoteRunner(RemoteTo(*tracker, "key"));
  Random random(3);
  int wrong = 0;
  double longest = 0;
  for (int i = 0; i < count; ++i) {
    Expected expected;
    while (expected.size() < 8 && tuner->FreeSlots() > 0) expected[tuner->Submit(KernelJob())] = Fate::kOk;
    Sleep(static_cast<int64_t>(random.Below(50)) * kMillisecond);
    const int64_t begin_ns = MonotonicNs();
    tracker.reset();
    Sleep(static_cast<int64_t>(random.Below(500)) * kMillisecond);
    tracker = std::make_unique<TrackerThread>(address);
    wrong += TakeAll(*tuner, expected);
    longest = std::max(longest, SecondsSince(begin_ns));
  }
  std::printf("tracker begun anew %d times: %d wrong fates, the last job ended after %.1f s at most\n", count, wrong,
              longest);
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace hone
