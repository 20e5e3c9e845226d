// Every job ends once, and well, even if the connections that it uses break.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "rpc_runner/process/clock.h"
#include "tests/rpc_runner/fault_proxy.h"
#include "tests/rpc_runner/network_fixture.h"
#include "tests/support/asked_count.h"
#include "tests/support/sleeping_executor.h"

namespace hone {
namespace {

constexpr int64_t kMillisecond = 1'000'000;
constexpr int64_t kPatience = 60'000 * kMillisecond;

// A tuner and a runner, each behind a proxy of its own.
class Network {
 public:
  Network() : Network(FaultProxy::Faults()) {}
  explicit Network(const FaultProxy::Faults& faults)
      : to_runner_(tracker_.address(), faults),
        to_tuner_(tracker_.address(), faults),
        runner_(OfferTo(to_runner_.address(), "key"), kMillisecond, FakeMachine("far")) {
    RemoteRunnerOptions options = RemoteTo(tracker_, "key");
    options.tracker = to_tuner_.address();
    tuner_ = MakeRemoteRunner(options);
    // After this job there is a lease, with heartbeats.
    RunJobs(1);
  }

  // Runs `count` jobs of 12,000 bytes each, a typical kernel, one after the other if `slots` is 1. Returns the seconds
  // taken.
  double RunJobs(int count, int slots = 1) {
    const int64_t begin_ns = MonotonicNs();
    std::set<JobId> under_way;
    std::set<int64_t> ended;
    int64_t next = 0;
    while (static_cast<int>(ended.size()) < count) {
      while (next < count && static_cast<int>(under_way.size()) < slots && tuner_->FreeSlots() > 0) {
        KernelJob job;
        job.artifact.elf.assign(12'000, 'k');
        job.artifact.shared_workspace_bytes = next++;
        under_way.insert(tuner_->Submit(std::move(job)));
      }
      JobResult result;
      if (!tuner_->Wait(kPatience, &result)) {
        ADD_FAILURE() << under_way.size() << " jobs did not end";
        break;
      }
      EXPECT_EQ(result.measurement.fate, Fate::kOk) << result.measurement.message;
      EXPECT_EQ(under_way.erase(result.id), 1u) << "a result came twice";
      if (result.measurement.samples_ns.size() == 1) ended.insert(result.measurement.samples_ns[0]);
    }
    JobResult more;
    EXPECT_FALSE(tuner_->Wait(0, &more)) << "a result came twice";
    return static_cast<double>(MonotonicNs() - begin_ns) / 1e9;
  }

  FaultProxy& to_runner() { return to_runner_; }
  FaultProxy& to_tuner() { return to_tuner_; }
  std::string address() const { return tracker_.address(); }

 private:
  TrackerThread tracker_;
  FaultProxy to_runner_, to_tuner_;
  SleepingRunner runner_;
  std::unique_ptr<Runner> tuner_;
};

enum class Side { kRunner, kTuner };

FaultProxy& ProxyOf(Network& network, Side side) {
  return side == Side::kRunner ? network.to_runner() : network.to_tuner();
}

// The number of bytes that one job takes on that connection.
int64_t BytesOfAJob(Side side) {
  Network network;
  const int64_t before = ProxyOf(network, side).passed();
  network.RunJobs(1);
  return ProxyOf(network, side).passed() - before;
}

// A job is under way when the connection breaks after `offset` bytes of it; a few more jobs follow.
double OutlivesACut(Side side, bool stalls, int64_t offset) {
  Network network;
  FaultProxy& proxy = ProxyOf(network, side);
  stalls ? proxy.StallAfter(offset) : proxy.CloseAfter(offset);
  const double seconds = network.RunJobs(1);
  // Heartbeats count too, so the connection breaks even if the job has finished by then.
  for (const int64_t until_ns = MonotonicNs() + kPatience; !proxy.has_cut() && MonotonicNs() < until_ns;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(proxy.has_cut());
  network.RunJobs(3);
  return seconds;
}

// Cuts an exchange at `cuts` places, several at a time, because most of the time is waiting.
void OutlivesCuts(Side side, bool stalls, int cuts) {
  const int64_t bytes = BytesOfAJob(side);
  ASSERT_GT(bytes, 12'000);
  std::atomic<int> next{0};
  std::atomic<double> longest{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&] {
      for (int cut = next++; cut < cuts; cut = next++) {
        // The first and last bytes are all frame headers.
        const int64_t offset = 1 + bytes * cut / cuts;
        SCOPED_TRACE(testing::Message() << "cut after " << offset << " of " << bytes << " bytes");
        const double seconds = OutlivesACut(side, stalls, offset);
        for (double most = longest; seconds > most && !longest.compare_exchange_weak(most, seconds);) {
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::printf("%d places of %lld bytes, the slowest job took %.1f s\n", cuts, static_cast<long long>(bytes),
              longest.load());
}

TEST(FaultyNetwork, ClosesTheRunnersConnectionAnywhere) { OutlivesCuts(Side::kRunner, false, AskedCount(32)); }
TEST(FaultyNetwork, ClosesTheTunersConnectionAnywhere) { OutlivesCuts(Side::kTuner, false, AskedCount(32)); }
TEST(FaultyNetwork, StallsTheRunnersConnectionAnywhere) { OutlivesCuts(Side::kRunner, true, AskedCount(16)); }
TEST(FaultyNetwork, StallsTheTunersConnectionAnywhere) { OutlivesCuts(Side::kTuner, true, AskedCount(16)); }

TEST(FaultyNetwork, ASilentRunnerIsLost) {
  Network network;
  const auto state = [&] { return QueryTracker(network.address()).runners.at(0).state; };
  ASSERT_EQ(state(), "busy");
  const int64_t begin_ns = MonotonicNs();
  network.to_runner().StallAfter(1);
  // The runner returns over another connection once it has noticed the silence itself.
  WaitForStatus(network.address(), [](const TrackerStatus& s) {
    return s.runners.empty() || (s.runners[0].state != "busy" && s.runners[0].state != "free");
  });
  std::printf("lost after %.1f s\n", static_cast<double>(MonotonicNs() - begin_ns) / 1e9);
  network.RunJobs(3);
}

TEST(FaultyNetwork, SaysEverythingTwice) {
  FaultProxy::Faults faults;
  faults.doubles = true;
  Network network(faults);
  network.RunJobs(60, 4);
  // A heartbeat with the final count may still be on its way.
  WaitForStatus(network.address(), [](const TrackerStatus& s) { return s.runners.at(0).jobs_done >= 61; });
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  EXPECT_EQ(QueryTracker(network.address()).runners.at(0).jobs_done, 61) << "each job was run once";
}

TEST(FaultyNetwork, IsSlow) {
  FaultProxy::Faults faults;
  faults.delay_ns = 100 * kMillisecond;
  Network network(faults);
  network.RunJobs(30, 4);
}

}  // namespace
}  // namespace hone
