// One tuner, many runners.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <thread>

#include "core/error.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/runner.h"
#include "rpc_runner/tracker/ask_tracker.h"
#include "rpc_runner/tracker/tracker.h"
#include "tests/rpc_runner/kernel_fixture.h"
#include "tests/rpc_runner/network_fixture.h"
#include "tests/support/sleeping_executor.h"

namespace hone {
namespace {

constexpr int64_t kMillisecond = 1'000'000;

class RunnerFleet : public testing::Test {
 protected:
  void AddRunner(const std::string& host, int64_t job_ns = 5 * kMillisecond) { AddRunner(FakeMachine(host), job_ns); }
  void AddRunner(const Environment& machine, int64_t job_ns = 5 * kMillisecond) {
    runners_.push_back(std::make_unique<SleepingRunner>(OfferTo(tracker_->address(), "key"), job_ns, machine));
  }
  std::unique_ptr<Runner> Tuner(int most = 16) {
    RemoteRunnerOptions options = RemoteTo(*tracker_, "key");
    options.max_runners = most;
    return MakeRemoteRunner(options);
  }
  static void WaitForMachines(Runner& runner, size_t count) {
    const int64_t until_ns = MonotonicNs() + 20'000 * kMillisecond;
    while (runner.Machines().size() != count) {
      ASSERT_LT(MonotonicNs(), until_ns) << runner.Machines().size() << " instead of " << count;
      JobResult result;
      runner.Wait(10 * kMillisecond, &result);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  // Keeps `runner` busy with `count` numbered jobs; returns the number of jobs that each host did.
  static std::map<std::string, int> RunJobs(Runner& runner, int count, uint64_t group = 0,
                                            const std::function<void(int done)>& after = nullptr) {
    std::map<std::string, int> by_host;
    std::set<int64_t> seen;
    std::map<JobId, int64_t> under_way;
    int64_t next = 0;
    while (static_cast<int>(seen.size()) < count) {
      for (; next < count && runner.FreeSlots() > 0; ++next) {
        KernelJob job;
        job.artifact.shared_workspace_bytes = next;
        job.group = group;
        under_way[runner.Submit(std::move(job))] = next;
      }
      JobResult result;
      if (!runner.Wait(20'000 * kMillisecond, &result)) {
        ADD_FAILURE() << "no result of " << under_way.size() << " came";
        return by_host;
      }
      EXPECT_EQ(result.measurement.fate, Fate::kOk) << result.measurement.message;
      EXPECT_EQ(under_way.erase(result.id), 1u) << "a result came twice";
      const bool ok = result.measurement.fate == Fate::kOk;
      EXPECT_TRUE(seen.insert(ok ? result.measurement.samples_ns.at(0) : -1 - next).second);
      ++by_host[result.measurement.environment.host];
      if (after) after(static_cast<int>(seen.size()));
    }
    JobResult more;
    EXPECT_FALSE(runner.Wait(0, &more));
    return by_host;
  }

  std::unique_ptr<TrackerThread> tracker_ = std::make_unique<TrackerThread>();
  std::vector<std::unique_ptr<SleepingRunner>> runners_;
};

TEST_F(RunnerFleet, GivesWorkToAll) {
  for (const char* host : {"a", "b", "c", "d"}) AddRunner(host);
  const auto tuner = Tuner();
  WaitForMachines(*tuner, 4);
  EXPECT_EQ(tuner->FreeSlots(), 16);
  const auto by_host = RunJobs(*tuner, 60);
  EXPECT_EQ(by_host.size(), 4u);
  for (const auto& [host, jobs] : by_host) EXPECT_GE(jobs, 5) << host;
}

TEST_F(RunnerFleet, TakesNoMoreThanItIsAllowed) {
  for (const char* host : {"a", "b", "c"}) AddRunner(host);
  const auto tuner = Tuner(2);
  WaitForMachines(*tuner, 2);
  EXPECT_EQ(RunJobs(*tuner, 30).size(), 2u);
  EXPECT_EQ(tuner->Machines().size(), 2u);
  const auto other = Tuner(2);
  WaitForMachines(*other, 1);
}

TEST_F(RunnerFleet, ASlowOneLosesItsJobsToTheOthers) {
  AddRunner("slow", 300 * kMillisecond);
  AddRunner("a");
  AddRunner("b");
  const auto tuner = Tuner();
  WaitForMachines(*tuner, 3);
  const auto by_host = RunJobs(*tuner, 48);
  // The slow runner begins one job and holds another ready; the other two that it was sent go elsewhere.
  EXPECT_LE(by_host.count("slow") ? by_host.at("slow") : 0, 3);
  EXPECT_GE(by_host.at("a"), 10);
  EXPECT_GE(by_host.at("b"), 10);
}

TEST_F(RunnerFleet, OneThatLosesEveryJobIsLeftOut) {
  AddRunner("a");
  AddRunner("b");
  const SleepingRunner failing(OfferTo(tracker_->address(), "key"), kMillisecond, FakeMachine("failing"),
                               Fate::kRunnerLost);
  const auto tuner = Tuner();
  WaitForMachines(*tuner, 3);
  const auto by_host = RunJobs(*tuner, 200);
  EXPECT_EQ(by_host.count("failing"), 0u);
  EXPECT_EQ(tuner->Machines().size(), 2u);
  // Though it is free, it is not leased again either.
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  EXPECT_EQ(tuner->Machines().size(), 2u);
  const TrackerStatus status = QueryTracker(tracker_->address(), 10'000 * kMillisecond);
  EXPECT_EQ(
      std::count_if(status.runners.begin(), status.runners.end(), [](const auto& r) { return r.state == "free"; }), 1);
}

TEST_F(RunnerFleet, GrowsWhenARunnerJoins) {
  AddRunner("first");
  const auto tuner = Tuner();
  WaitForMachines(*tuner, 1);
  EXPECT_EQ(RunJobs(*tuner, 4).size(), 1u);
  AddRunner("second");
  WaitForMachines(*tuner, 2);
  EXPECT_EQ(RunJobs(*tuner, 30).size(), 2u);
}

TEST_F(RunnerFleet, LosesNothingWhenRunnersLeave) {
  for (const char* host : {"a", "b", "c"}) AddRunner(host);
  const auto tuner = Tuner();
  WaitForMachines(*tuner, 3);
  RunJobs(*tuner, 60, 0, [this](int done) {
    if (done == 20) runners_.pop_back();
  });
  WaitForMachines(*tuner, 2);
}

TEST_F(RunnerFleet, LosesNothingWhenARunnerIsKilled) {
  RunnerChild doomed(tracker_->address(), "real"), heir(tracker_->address(), "real");
  const auto tuner = MakeRemoteRunner(RemoteTo(*tracker_, "real"));
  WaitForMachines(*tuner, 2);
  std::set<JobId> ids;
  for (int i = 0; i < 8; ++i) {
    KernelJob slow = DenseJob("dense_loop");
    slow.timing.deadline_ns = 200 * kMillisecond;
    ids.insert(tuner->Submit(slow));
  }
  doomed.Kill(SIGKILL);
  while (!ids.empty()) {
    JobResult result;
    ASSERT_TRUE(tuner->Wait(20'000 * kMillisecond, &result));
    EXPECT_EQ(ids.erase(result.id), 1u);
    EXPECT_EQ(result.measurement.fate, Fate::kTimedOut) << result.measurement.message;
  }
  // The runner may have died before it had a job; then its loss is noticed only after all jobs are done.
  WaitForMachines(*tuner, 1);
}

TEST_F(RunnerFleet, TwoTunersShareAsEquals) {
  for (const char* host : {"a", "b", "c", "d"}) AddRunner(host);
  const auto first = Tuner();
  WaitForMachines(*first, 4);
  const auto second = Tuner();
  WaitForMachines(*second, 2);
  WaitForMachines(*first, 2);
  EXPECT_EQ(RunJobs(*first, 20).size(), 2u);
  EXPECT_EQ(RunJobs(*second, 20).size(), 2u);
}

TEST_F(RunnerFleet, GivesARunnerBackInTheMiddleOfItsJobs) {
  for (const char* host : {"a", "b"}) AddRunner(host, 20 * kMillisecond);
  const auto first = Tuner();
  WaitForMachines(*first, 2);
  std::unique_ptr<Runner> second;
  RunJobs(*first, 150, 0, [&](int done) {
    if (done == 10) second = Tuner();
  });
  WaitForMachines(*second, 1);
  EXPECT_EQ(first->Machines().size(), 1u);
}

TEST_F(RunnerFleet, LeavesMachinesOfOtherKindsToOthers) {
  AddRunner("a");
  WaitForStatus(tracker_->address(), [](const TrackerStatus& s) { return s.runners.size() == 1; });
  const auto tuner = Tuner();
  WaitForMachines(*tuner, 1);
  Environment other = FakeMachine("stranger");
  other.cpu_id = "Fake-1-2-1";
  AddRunner(other);
  AddRunner("b");
  testing::internal::CaptureStderr();
  WaitForMachines(*tuner, 2);
  const auto by_host = RunJobs(*tuner, 40);
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_EQ(by_host.count("stranger"), 0u);
  EXPECT_EQ(by_host.size(), 2u);
  const size_t at = told.find("the runner stranger");
  EXPECT_NE(at, std::string::npos) << told;
  EXPECT_EQ(told.find("the runner stranger", at + 1), std::string::npos) << "it is told of once: " << told;
  EXPECT_NE(told.find("its cpu_id is \"Fake-1-2-1\", not \"Fake-1-1-1\""), std::string::npos) << told;
  const auto another = Tuner();
  WaitForMachines(*another, 1);
  EXPECT_EQ(another->Describe().cpu_id, "Fake-1-2-1");
}

TEST_F(RunnerFleet, KeepsAGroupOnOneMachine) {
  for (const char* host : {"a", "b", "c"}) AddRunner(host);
  const auto tuner = Tuner();
  WaitForMachines(*tuner, 3);
  const JobGroup group(*tuner);
  EXPECT_EQ(RunJobs(*tuner, 30, group.number()).size(), 1u);
  EXPECT_EQ(RunJobs(*tuner, 30).size(), 3u);
}

TEST_F(RunnerFleet, KeepsItsLeasesWhenTheTrackerRestarts) {
  for (const char* host : {"a", "b", "c"}) AddRunner(host, 20 * kMillisecond);
  const auto tuner = Tuner();
  WaitForMachines(*tuner, 3);
  const std::string address = tracker_->address();
  const auto by_host = RunJobs(*tuner, 120, 0, [&](int done) {
    if (done != 30) return;
    tracker_.reset();
    std::this_thread::sleep_for(std::chrono::milliseconds(3500));
    tracker_ = std::make_unique<TrackerThread>(address);
  });
  EXPECT_EQ(by_host.size(), 3u);
  WaitForStatus(address, [](const TrackerStatus& s) {
    return std::count_if(s.runners.begin(), s.runners.end(), [](const auto& r) { return r.state == "busy"; }) == 3;
  });
  EXPECT_EQ(tuner->Machines().size(), 3u);
}

TEST_F(RunnerFleet, ADrainedRunnerIsLeftAndItsJobsAreDoneElsewhere) {
  for (const char* host : {"a", "b"}) AddRunner(host, 10 * kMillisecond);
  const auto tuner = Tuner();
  WaitForMachines(*tuner, 2);
  const auto by_host = RunJobs(*tuner, 300, 0, [&](int done) {
    if (done == 20) CommandTracker(tracker_->address(), {"drain", "b", "somebody", 0});
  });
  EXPECT_EQ(tuner->Machines().size(), 1u);
  EXPECT_LT(by_host.at("b"), by_host.at("a"));
  WaitForStatus(tracker_->address(), [](const TrackerStatus& s) {
    return std::count_if(s.runners.begin(), s.runners.end(), [](const auto& r) { return r.state == "drained"; }) == 1;
  });
}

TEST_F(RunnerFleet, AHoldTakesEvenTheLastRunner) {
  AddRunner("a");
  RemoteRunnerOptions options = RemoteTo(*tracker_, "key");
  options.user = "bob";
  const auto bob = MakeRemoteRunner(options);
  WaitForMachines(*bob, 1);
  CommandTracker(tracker_->address(), {"hold", "key", "ann", 600'000 * kMillisecond});
  options.user = "ann";
  const auto ann = MakeRemoteRunner(options);
  WaitForMachines(*ann, 1);
  EXPECT_EQ(bob->Machines().size(), 0u);
  EXPECT_EQ(RunJobs(*ann, 5).size(), 1u);
  EXPECT_THROW(CommandTracker(tracker_->address(), {"hold", "key", "bob", 1}), Error);
  CommandTracker(tracker_->address(), {"unhold", "key", "ann", 0});
}

// The runner is held, then drained, then free: the waiting tuner gets it.
TEST_F(RunnerFleet, ABusyRunnerIsWaitedFor) {
  AddRunner("a");
  WaitForStatus(tracker_->address(), [](const TrackerStatus& s) { return s.runners.size() == 1; });
  CommandTracker(tracker_->address(), {"hold", "key", "ann", 1'500 * kMillisecond});
  CommandTracker(tracker_->address(), {"drain", "key", "ann", 0});
  RemoteRunnerOptions options = RemoteTo(*tracker_, "key");
  options.user = "bob";
  options.lost_timeout_ns = 60'000 * kMillisecond;
  const auto bob = MakeRemoteRunner(options);
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::seconds(2));
    CommandTracker(tracker_->address(), {"undrain", "key", "ann", 0});
  });
  EXPECT_EQ(bob->Describe().host, "a");
  later.join();
}

TEST_F(RunnerFleet, OneThatStaysBusyIsNamed) {
  AddRunner("a");
  WaitForStatus(tracker_->address(), [](const TrackerStatus& s) { return s.runners.size() == 1; });
  CommandTracker(tracker_->address(), {"hold", "key", "ann", 600'000 * kMillisecond});
  RemoteRunnerOptions options = RemoteTo(*tracker_, "key");
  options.user = "bob";
  options.lost_timeout_ns = 300 * kMillisecond;
  const auto bob = MakeRemoteRunner(options);
  try {
    bob->Describe();
    FAIL() << "it was given";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kNoRunner);
    EXPECT_NE(std::string(error.what()).find("a is held by ann for "), std::string::npos) << error.what();
  }
}

TEST_F(RunnerFleet, IsFreeAgainWhenTheTunerLeaves) {
  for (const char* host : {"a", "b", "c"}) AddRunner(host);
  auto tuner = Tuner();
  WaitForMachines(*tuner, 3);
  tuner.reset();
  WaitForStatus(tracker_->address(), [](const TrackerStatus& s) {
    return std::count_if(s.runners.begin(), s.runners.end(), [](const auto& r) { return r.state == "free"; }) == 3;
  });
}

}  // namespace
}  // namespace hone
