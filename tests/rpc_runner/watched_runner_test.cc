// A runner that watches its device, from the golden kernel to the state that a tracker and a tuner see. Device time
// passes only when a test advances it.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>

#include "rpc_runner/process/clock.h"
#include "rpc_runner/runner.h"
#include "rpc_runner/tracker/ask_tracker.h"
#include "rpc_runner/wire/socket.h"
#include "tests/rpc_runner/network_fixture.h"
#include "tests/rpc_runner/watched_device.h"
#include "tests/support/sleeping_executor.h"

namespace hone {
namespace {

constexpr int64_t kMillisecond = 1'000'000, kSecond = 1000 * kMillisecond;
constexpr const char* kSlow = "golden kernel 10.0 % slower than usual (arithmetic)";

// Fails the test when the condition does not hold within 20 s.
void Await(const std::function<bool()>& holds, const std::string& what) {
  for (const int64_t until_ns = MonotonicNs() + 20 * kSecond; !holds();) {
    ASSERT_LT(MonotonicNs(), until_ns) << what;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

// A runner of 2 ms a job on a device that the test can slow down.
class WatchedRunner {
 public:
  WatchedRunner(const std::string& tracker, const std::string& host)
      : executor_(2 * kMillisecond, FakeMachine(host)),
        device_([this] { disturbed_ = disturbed_ || !executor_.is_idle(); }),
        thread_([this, tracker] {
          RunnerServerOptions options = OfferTo(tracker, "key");
          options.health = HealthOptions{};
          options.probes = device_.Probes();
          ServeExecutor(options, executor_, [this] { return executor_.PollFd(); }, &stop_);
        }) {}
  ~WatchedRunner() {
    stop_ = true;
    thread_.join();
    EXPECT_FALSE(disturbed_) << "the golden kernel ran beside a job";
  }

  WatchedDevice& device() { return device_; }
  // Lets `ns` pass and waits for the look that becomes due.
  void PassToNextLook(int64_t ns) {
    const int before = device_.looks();
    device_.Pass(ns);
    AwaitLooks(before + 1);
  }
  void AwaitLooks(int count) {
    Await([&] { return device_.looks() >= count; }, "the golden kernel was not run");
    EXPECT_EQ(device_.looks(), count);
  }
  // The runs after which docs/why/measuring.md quarantines it; does not wait for the last one.
  void TurnSlow() {
    device_.TakeForArithmetic(1100);
    PassToNextLook(21 * kSecond);
    PassToNextLook(8 * kSecond);
    device_.Pass(8 * kSecond);
  }
  // All but the last of the runs after which it is offered again.
  void RecoverNearly() {
    device_.TakeForArithmetic(1000);
    for (int i = 0; i < 4; ++i) PassToNextLook(21 * kSecond);
  }

 private:
  std::atomic<bool> stop_{false}, disturbed_{false};
  SleepingExecutor executor_;
  WatchedDevice device_;
  std::thread thread_;
};

class WatchedRunners : public testing::Test {
 protected:
  std::unique_ptr<WatchedRunner> Offer(const std::string& host) {
    auto runner = std::make_unique<WatchedRunner>(tracker_.address(), host);
    AwaitState(host, "free");
    return runner;
  }
  std::unique_ptr<Runner> Tuner() const { return MakeRemoteRunner(RemoteTo(tracker_, "key")); }
  // The tracker's information about it once it has this state.
  RunnerInfo AwaitState(const std::string& host, const std::string& state) const {
    RunnerInfo info;
    const auto holds = [&] {
      for (const RunnerInfo& runner : QueryTracker(tracker_.address(), 20 * kSecond).runners) {
        if (runner.label == host) info = runner;
      }
      return info.state == state;
    };
    Await(holds, host + " is not " + state);
    return info;
  }
  static void AwaitMachines(Runner& tuner, size_t count) {
    Await([&] { return tuner.Machines().size() == count; }, "not " + std::to_string(count) + " machines");
  }
  // The number of `count` jobs that each host did; each ends well, and once. `after` gets the number of jobs done.
  static std::map<std::string, int> RunJobs(Runner& tuner, int count, const std::function<void(int)>& after = nullptr) {
    std::map<std::string, int> by_host;
    std::set<JobId> under_way;
    for (int begun = 0, done = 0; done < count; ++done) {
      for (; begun < count && tuner.FreeSlots() > 0; ++begun) under_way.insert(tuner.Submit(KernelJob()));
      JobResult result;
      if (!tuner.Wait(20 * kSecond, &result)) {
        ADD_FAILURE() << "no result of " << under_way.size() << " came";
        break;
      }
      EXPECT_EQ(FateName(result.measurement.fate), "Ok") << result.measurement.message;
      EXPECT_EQ(under_way.erase(result.id), 1u) << "a result came twice";
      ++by_host[result.measurement.environment.host];
      if (after) after(done + 1);
    }
    return by_host;
  }
  static Measurement RunJob(Runner& tuner) {
    tuner.Submit(KernelJob());
    JobResult result;
    EXPECT_TRUE(tuner.Wait(20 * kSecond, &result));
    return result.measurement;
  }

  const TrackerThread tracker_;
};

TEST_F(WatchedRunners, RunTheGoldenKernelAtBothEndsOfALease) {
  const auto runner = Offer("pi");
  const int before = runner->device().looks();
  auto tuner = Tuner();
  EXPECT_EQ(tuner->Describe().golden_kernel, "1-avx2");
  EXPECT_EQ(tuner->Describe().golden_ns, 6000);
  EXPECT_EQ(tuner->Describe().roofs, "100.0 GFLOP/s, 20.0 GB/s");
  runner->PassToNextLook(3 * kSecond);
  // A job begins only when no run is due; here one becomes due while the job runs.
  runner->device().Pass(3 * kSecond);
  EXPECT_FALSE(RunJob(*tuner).noisy);
  EXPECT_EQ(runner->device().looks(), before + 1);
  tuner.reset();
  runner->AwaitLooks(before + 2);
}

TEST_F(WatchedRunners, BeginNoJobWhileARunIsDue) {
  const auto runner = Offer("pi");
  const auto tuner = Tuner();
  const int before = runner->device().looks();
  RunJobs(*tuner, 120, [&](int done) {
    if (done == 20) runner->device().Pass(21 * kSecond);
    if (done == 80) {
      EXPECT_EQ(runner->device().looks(), before + 1) << "jobs kept it from being run";
    }
  });
}

TEST_F(WatchedRunners, MarkWhatIsMeasuredInDoubt) {
  const auto runner = Offer("pi");
  const auto tuner = Tuner();
  const Measurement sound = RunJob(*tuner);
  EXPECT_FALSE(sound.noisy);
  EXPECT_EQ(sound.environment.health, "");
  EXPECT_EQ(sound.environment.golden_ns, 6000);
  EXPECT_EQ(sound.environment.roofs, "100.0 GFLOP/s, 20.0 GB/s") << "what is stored tells them";
  runner->device().TakeForArithmetic(1100);
  runner->PassToNextLook(21 * kSecond);
  const Measurement doubted = RunJob(*tuner);
  EXPECT_TRUE(doubted.noisy);
  EXPECT_EQ(doubted.environment.health, kSlow);
  EXPECT_EQ(AwaitState("pi", "busy").health, kSlow);
  runner->device().TakeForArithmetic(1000);
  runner->PassToNextLook(3 * kSecond);
  const Measurement again = RunJob(*tuner);
  EXPECT_FALSE(again.noisy);
  EXPECT_EQ(again.environment.health, "");
  EXPECT_EQ(AwaitState("pi", "busy").health, "");
}

TEST_F(WatchedRunners, DoubtWhatTheyMeasuredSinceTheyWereLastWell) {
  const auto runner = Offer("pi"), sound = Offer("sound");
  const auto tuner = Tuner();
  AwaitMachines(*tuner, 2);
  std::set<JobId> before, since;
  const auto run = [&](std::set<JobId>* of_pi) {
    for (int i = 0; i < 40; ++i) tuner->Submit(KernelJob());
    JobResult result;
    for (int i = 0; i < 40 && tuner->Wait(20 * kSecond, &result); ++i) {
      EXPECT_FALSE(result.measurement.noisy);
      if (result.measurement.environment.host == "pi") of_pi->insert(result.id);
    }
  };
  run(&before);
  runner->PassToNextLook(21 * kSecond);
  run(&since);
  ASSERT_FALSE(before.empty() || since.empty());
  EXPECT_TRUE(tuner->TakeSuspectResults().empty());
  runner->device().TakeForArithmetic(1100);
  runner->PassToNextLook(21 * kSecond);
  std::set<JobId> doubted;
  const auto all_told = [&] {
    for (const SuspectResult& suspect : tuner->TakeSuspectResults()) {
      EXPECT_TRUE(doubted.insert(suspect.id).second) << "told twice";
      EXPECT_EQ(suspect.why, kSlow);
    }
    return doubted.size() >= since.size();
  };
  Await(all_told, "not all of what it measured since is doubted");
  EXPECT_EQ(doubted, since) << "and nothing of before, nor of the other one";
}

// A suspect result found after the last job is reported before the tuner leaves.
TEST_F(WatchedRunners, AreCheckedWhenTheirTunerIsDone) {
  const auto runner = Offer("pi");
  const auto tuner = Tuner();
  RunJob(*tuner);
  const int before = runner->device().looks();
  tuner->CheckHealth(20 * kSecond);
  EXPECT_TRUE(tuner->TakeSuspectResults().empty());
  EXPECT_EQ(runner->device().looks(), before + 1);
  tuner->CheckHealth(20 * kSecond);
  EXPECT_EQ(runner->device().looks(), before + 1) << "nothing was measured since";
  RunJob(*tuner);
  runner->device().TakeForArithmetic(1100);
  tuner->CheckHealth(20 * kSecond);
  EXPECT_EQ(tuner->TakeSuspectResults().size(), 1u);
}

// A guest that was moved gives no result under its old machine's name, though no look was due.
TEST_F(WatchedRunners, OneThatIsAnotherMachineGivesNoResult) {
  const auto moved = Offer("moved");
  const auto tuner = Tuner();
  RunJob(*tuner);
  const int looks = moved->device().looks();
  moved->device().MoveTo("GenuineIntel-6-167-1");
  const JobId job = tuner->Submit(KernelJob());
  EXPECT_EQ(AwaitState("moved", "quarantined").health,
            "the machine is \"GenuineIntel-6-167-1\" now and was \"AuthenticAMD-25-1-1\" when the runner began");
  EXPECT_EQ(moved->device().looks(), looks);
  Await([&] { return tuner->TakeSuspectResults().size() == 1; },
        "nobody knows when it was moved, and the first is believed");
  const WatchedRunner sound(tracker_.address(), "sound");
  JobResult result;
  ASSERT_TRUE(tuner->Wait(20 * kSecond, &result));
  EXPECT_EQ(result.id, job);
  EXPECT_EQ(result.measurement.environment.host, "sound");
}

TEST_F(WatchedRunners, OneThatTurnsSlowIsLeftAndTakenAgainWhenItIsWell) {
  const auto slow = Offer("slow"), sound = Offer("sound");
  const auto tuner = Tuner();
  AwaitMachines(*tuner, 2);
  const auto by_host = RunJobs(*tuner, 200, [&](int done) {
    if (done == 40) slow->TurnSlow();
  });
  EXPECT_GT(by_host.at("slow"), 0);
  const RunnerInfo info = AwaitState("slow", "quarantined");
  EXPECT_EQ(info.health, kSlow);
  EXPECT_EQ(info.holder, "");
  EXPECT_EQ(info.roofs, "100.0 GFLOP/s, 20.0 GB/s");
  EXPECT_EQ(slow->device().complaints(), std::vector<std::string>{std::string("quarantined: ") + kSlow});
  AwaitMachines(*tuner, 1);
  EXPECT_EQ(RunJobs(*tuner, 20).count("slow"), 0u);
  slow->RecoverNearly();
  EXPECT_EQ(AwaitState("slow", "probation").health, kSlow);
  EXPECT_EQ(RunJobs(*tuner, 20).count("slow"), 0u);
  slow->PassToNextLook(21 * kSecond);
  AwaitMachines(*tuner, 2);
  EXPECT_EQ(AwaitState("slow", "busy").health, "");
  EXPECT_GT(RunJobs(*tuner, 40).count("slow"), 0u);
}

TEST_F(WatchedRunners, JobsWaitForTheOnlyOne) {
  const auto runner = Offer("pi");
  const auto tuner = Tuner();
  EXPECT_EQ(RunJobs(*tuner, 5).at("pi"), 5);
  runner->TurnSlow();
  AwaitState("pi", "quarantined");
  AwaitMachines(*tuner, 0);
  tuner->Submit(KernelJob());
  runner->RecoverNearly();
  AwaitState("pi", "probation");
  JobResult result;
  EXPECT_FALSE(tuner->Wait(0, &result));
  const TrackerStatus status = QueryTracker(tracker_.address(), 20 * kSecond);
  ASSERT_EQ(status.queues.size(), 1u);
  EXPECT_EQ(status.queues[0].waiting, 1);
  runner->PassToNextLook(21 * kSecond);
  ASSERT_TRUE(tuner->Wait(20 * kSecond, &result));
  EXPECT_EQ(FateName(result.measurement.fate), "Ok") << result.measurement.message;
  EXPECT_FALSE(result.measurement.noisy);
}

// The test plays the tracker, and sees each frame.
class HandTracker {
 public:
  HandTracker() : socket_(context_, Socket::Kind::kRouter), address_(socket_.Bind("tcp://127.0.0.1:*")) {}
  const std::string& address() const { return address_; }
  // The next frame of the kind; skips others, and fails at one of the kind `never`.
  Frame Next(FrameKind kind, FrameKind never = FrameKind::kError) {
    Frame frame;
    const auto came = [&] {
      Socket::Message message;
      if (!socket_.Receive(&message)) return false;
      peer_ = message.peer;
      frame = DecodeFrame(message.bytes);
      EXPECT_NE(static_cast<int>(frame.kind), static_cast<int>(never));
      return frame.kind == kind;
    };
    Await(came, "no frame of kind " + std::to_string(static_cast<int>(kind)));
    return frame;
  }
  // Sends to the runner that spoke last.
  void Say(FrameKind kind, Json header) { socket_.Send(peer_, {kind, std::move(header), {}}); }

 private:
  SocketContext context_;
  Socket socket_;
  const std::string address_;
  std::string peer_;
};

TEST(WatchedRunnerFrames, TellTheStateAndEndTheLease) {
  const std::string lease(32, 'a'), other(32, 'b');
  HandTracker tracker;
  WatchedRunner runner(tracker.address(), "pi");
  Frame hello = tracker.Next(FrameKind::kHello);
  EXPECT_EQ(hello.header["health"]["state"], "healthy");
  EXPECT_EQ(hello.header["health"]["why"], "");
  tracker.Say(FrameKind::kLeaseOffer, {{"lease", lease}, {"client", "c"}, {"holder", "ada"}});
  EXPECT_EQ(tracker.Next(FrameKind::kLeaseTaken).header["lease"], lease);
  runner.TurnSlow();
  hello = tracker.Next(FrameKind::kHello);
  EXPECT_EQ(hello.header["health"]["state"], "doubted");
  EXPECT_EQ(hello.header["lease"], lease);
  EXPECT_EQ(tracker.Next(FrameKind::kLeaseEnd).lease, lease);
  hello = tracker.Next(FrameKind::kHello);
  EXPECT_EQ(hello.header["health"]["state"], "quarantined");
  EXPECT_EQ(hello.header["health"]["why"], kSlow);
  EXPECT_EQ(hello.header["lease"], "");
  EXPECT_EQ(hello.header["environment"]["health"], kSlow);
  // An offer by a tracker that does not know the state is not taken: the next request is answered first.
  tracker.Say(FrameKind::kLeaseOffer, {{"lease", other}, {"client", "c"}, {"holder", "ada"}});
  tracker.Say(FrameKind::kError, {{"code", "unknown_runner"}, {"message", ""}});
  hello = tracker.Next(FrameKind::kHello, FrameKind::kLeaseTaken);
  EXPECT_EQ(hello.header["lease"], "");
}

}  // namespace
}  // namespace hone
