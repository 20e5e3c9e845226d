#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <set>

#include "core/error.h"
#include "rpc_runner/device/runner_server.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/runner.h"
#include "rpc_runner/tracker/ask_tracker.h"
#include "rpc_runner/tracker/tracker.h"
#include "tests/rpc_runner/kernel_fixture.h"
#include "tests/rpc_runner/network_fixture.h"
#include "tests/support/sleeping_executor.h"

namespace hone {
namespace {

bool HasRunner(const TrackerStatus& status, const std::string& state) {
  return std::any_of(status.runners.begin(), status.runners.end(),
                     [&](const RunnerInfo& r) { return r.state == state; });
}

TEST(RemoteRunner, RunsJobsAndShowsInTheStatus) {
  TrackerThread tracker;
  RunnerThread server(OfferTo(tracker.address(), "here"));
  {
    const auto runner = MakeRemoteRunner(RemoteTo(tracker, "here"));
    const Measurement measurement = RunJob(*runner, DenseJob());
    EXPECT_EQ(measurement.fate, Fate::kOk);
    EXPECT_EQ(measurement.environment.key, "here");
    EXPECT_EQ(measurement.environment.label, measurement.environment.host);
    EXPECT_GE(runner->Describe().cores, 1);
    EXPECT_EQ(QueryTracker(tracker.address()).runners.at(0).llvm_cpu, runner->Describe().llvm_cpu);
    WaitForStatus(tracker.address(),
                  [](const TrackerStatus& s) { return s.runners.size() == 1 && s.runners[0].jobs_done == 1; });
    EXPECT_TRUE(HasRunner(QueryTracker(tracker.address()), "busy"));
  }
  WaitForStatus(tracker.address(), [](const TrackerStatus& s) { return HasRunner(s, "free"); });
}

TEST(RemoteRunner, ReportsAMissingTrackerAndAKeyThatNoRunnerOffers) {
  TrackerThread tracker;
  RemoteRunnerOptions options = RemoteTo(tracker, "absent");
  options.connect_timeout_ns = 200'000'000;
  EXPECT_THROW(MakeRemoteRunner(options), Error);
  options.tracker = "tcp://127.0.0.1:1";
  EXPECT_THROW(MakeRemoteRunner(options), Error);
  EXPECT_THROW(QueryTracker("tcp://127.0.0.1:1", 100'000'000), Error);
}

TEST(RemoteRunner, SecondTunerWaitsForTheFirst) {
  TrackerThread tracker;
  RunnerThread server(OfferTo(tracker.address(), "one"));
  auto first = MakeRemoteRunner(RemoteTo(tracker, "one"));
  EXPECT_EQ(RunJob(*first, DenseJob()).fate, Fate::kOk);
  const auto second = MakeRemoteRunner(RemoteTo(tracker, "one"));
  second->Submit(DenseJob());
  WaitForStatus(tracker.address(),
                [](const TrackerStatus& s) { return s.queues.size() == 1 && s.queues[0].waiting == 1; });
  first.reset();
  JobResult result;
  ASSERT_TRUE(second->Wait(20'000'000'000, &result));
  EXPECT_EQ(result.measurement.fate, Fate::kOk);
}

TEST(RemoteRunner, MovesItsJobsWhenTheRunnerIsKilled) {
  TrackerThread tracker;
  auto doomed = std::make_unique<RunnerChild>(tracker.address(), "fragile");
  RemoteRunnerOptions options = RemoteTo(tracker, "fragile");
  const auto runner = MakeRemoteRunner(options);
  EXPECT_EQ(RunJob(*runner, DenseJob()).fate, Fate::kOk);
  KernelJob slow = DenseJob("dense_loop");
  slow.timing.deadline_ns = 1'000'000'000;
  std::set<JobId> ids = {runner->Submit(slow), runner->Submit(DenseJob())};
  doomed->Kill(SIGKILL);
  RunnerThread heir(OfferTo(tracker.address(), "fragile"));
  while (!ids.empty()) {
    JobResult result;
    ASSERT_TRUE(runner->Wait(30'000'000'000, &result));
    EXPECT_EQ(ids.erase(result.id), 1u);
    EXPECT_NE(result.measurement.fate, Fate::kRunnerLost) << result.measurement.message;
  }
}

TEST(RemoteRunner, GivesUpWhenNoRunnerIsLeft) {
  TrackerThread tracker;
  auto doomed = std::make_unique<RunnerChild>(tracker.address(), "last");
  RemoteRunnerOptions options = RemoteTo(tracker, "last");
  options.lost_timeout_ns = 500'000'000;
  const auto runner = MakeRemoteRunner(options);
  EXPECT_EQ(RunJob(*runner, DenseJob()).fate, Fate::kOk);
  runner->Submit(DenseJob("dense_loop"));
  doomed.reset();
  JobResult result;
  ASSERT_TRUE(runner->Wait(30'000'000'000, &result));
  EXPECT_EQ(result.measurement.fate, Fate::kRunnerLost);
}

TEST(RemoteRunner, SurvivesTheTrackersRestart) {
  auto tracker = std::make_unique<TrackerThread>();
  const std::string address = tracker->address();
  RunnerThread server(OfferTo(address, "steady"));
  const auto runner = MakeRemoteRunner(RemoteTo(*tracker, "steady"));
  EXPECT_EQ(RunJob(*runner, DenseJob()).fate, Fate::kOk);
  tracker.reset();
  // Longer than the silence after which a runner counts as lost.
  runner->Submit(DenseJob());
  JobResult result;
  EXPECT_FALSE(runner->Wait(4'000'000'000, &result)) << "by which way did it come?";
  tracker = std::make_unique<TrackerThread>(address);
  ASSERT_TRUE(runner->Wait(20'000'000'000, &result));
  EXPECT_EQ(result.measurement.fate, Fate::kOk) << result.measurement.message;
  WaitForStatus(address, [](const TrackerStatus& s) { return HasRunner(s, "busy"); });
  EXPECT_EQ(RunJob(*runner, DenseJob()).fate, Fate::kOk);
}

TEST(RemoteRunner, ConnectsDirectlyIfBothSidesAllowIt) {
  auto tracker = std::make_unique<TrackerThread>();
  const std::string address = tracker->address();
  RunnerServerOptions offer = OfferTo(address, "near");
  offer.direct = true;
  RunnerThread server(offer);
  RemoteRunnerOptions options = RemoteTo(*tracker, "near");
  options.direct = true;
  const auto runner = MakeRemoteRunner(options);
  EXPECT_EQ(RunJob(*runner, DenseJob()).fate, Fate::kOk);
  EXPECT_EQ(QueryTracker(address).runners.at(0).address.substr(0, 16), "tcp://127.0.0.1:");
  tracker.reset();
  EXPECT_EQ(RunJob(*runner, DenseJob()).fate, Fate::kOk);
}

TEST(RemoteRunner, ConnectsDirectlyOnlyIfTheRunnerAllowsIt) {
  TrackerThread tracker;
  RunnerThread server(OfferTo(tracker.address(), "far"));
  RemoteRunnerOptions options = RemoteTo(tracker, "far");
  options.direct = true;
  const auto runner = MakeRemoteRunner(options);
  EXPECT_EQ(RunJob(*runner, DenseJob()).fate, Fate::kOk);
  EXPECT_EQ(QueryTracker(tracker.address()).runners.at(0).address, "");
}

TEST(RunnerServer, LeavesAfterItsJobs) {
  TrackerThread tracker;
  RunnerThread server(OfferTo(tracker.address(), "few", 2));
  const auto runner = MakeRemoteRunner(RemoteTo(tracker, "few"));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(RunJob(*runner, DenseJob()).fate, Fate::kOk);
  server.Join();
  WaitForStatus(tracker.address(), [](const TrackerStatus& s) { return s.runners.empty(); });
}

TEST(RunnerServer, LeavesAtOnceOnSigtermAndItsJobGoesElsewhere) {
  TrackerThread tracker;
  RunnerChild server(tracker.address(), "polite");
  const auto runner = MakeRemoteRunner(RemoteTo(tracker, "polite"));
  EXPECT_EQ(RunJob(*runner, DenseJob()).fate, Fate::kOk);
  KernelJob slow = DenseJob("dense_loop");
  slow.timing.deadline_ns = 60'000'000'000;
  runner->Submit(slow);
  JobResult result;
  EXPECT_FALSE(runner->Wait(300'000'000, &result));
  server.Kill(SIGTERM);
  const int status = server.Wait();
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_TRUE(QueryTracker(tracker.address()).runners.empty()) << "it said bye";
  SleepingRunner heir(OfferTo(tracker.address(), "polite"), 1'000'000, runner->Describe());
  ASSERT_TRUE(runner->Wait(20'000'000'000, &result)) << "the job that takes a minute has gone elsewhere";
  EXPECT_EQ(result.measurement.fate, Fate::kOk) << result.measurement.message;
}

TEST(RunnerServer, LeavesWhenItHasServedOnce) {
  TrackerThread tracker;
  RunnerServerOptions offer = OfferTo(tracker.address(), "once");
  offer.once = true;
  RunnerThread server(offer);
  auto runner = MakeRemoteRunner(RemoteTo(tracker, "once"));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(RunJob(*runner, DenseJob()).fate, Fate::kOk);
  EXPECT_EQ(QueryTracker(tracker.address()).runners.size(), 1u);
  runner.reset();
  server.Join();
  EXPECT_TRUE(QueryTracker(tracker.address()).runners.empty());
}

TEST(Loopback, IsTheOnlyPlaceWithoutKeys) {
  const std::atomic<bool> stop{true};
  EXPECT_THROW(ServeTracker({"tcp://0.0.0.0:*", "", "", {}}, &stop), Error);
  EXPECT_THROW(ServeTracker({"tcp://127.0.0.1:*", "", "0.0.0.0:0", {}}, &stop), Error);
  EXPECT_THROW(ServeTracker({"tcp://*:9190", "", "", {}}, &stop), Error);
  RunnerServerOptions options = OfferTo("tcp://127.0.0.1:1", "k");
  options.direct = true;
  options.bind = "tcp://10.0.0.1:*";
  EXPECT_THROW(ServeRunner(options, &stop), Error);
  EXPECT_THROW(QueryTracker("tcp://example.com:9190"), Error);
}

}  // namespace
}  // namespace hone
