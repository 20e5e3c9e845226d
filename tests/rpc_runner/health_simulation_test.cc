// The rules of health quarantine slow devices and leave others alone: on a model of noise and on recorded runs.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "tests/rpc_runner/health_world.h"
#include "tests/support/asked_count.h"

namespace hone {
namespace {

constexpr int64_t kMinute = 60'000'000'000, kDay = 24 * 60 * kMinute;

// Days of A/A runs in the model of noise: no device changes, so each quarantine is false.
TEST(HealthSimulation, QuarantinesAtMostOneDayInAHundredFalsely) {
  const int days = AskedCount(100);
  int quarantines = 0, doubts = 0;
  for (int day = 0; day < days; ++day) {
    World world;
    GoldenNoise noise(static_cast<uint64_t>(day));
    Random random(static_cast<uint64_t>(day) + 1000);
    world.golden = [&] {
      world.ticks.steal += static_cast<int64_t>(noise.Steal() * 1e9);
      return noise.Run(world.now_ns, 1);
    };
    HealthWatch watch = world.Watch();
    while (world.now_ns < kDay) {
      world.Work(watch, kMinute, random);
      doubts += watch.state() == HealthState::kDoubted;
      if (watch.may_be_offered()) continue;
      ++quarantines;
      break;
    }
  }
  RecordProperty("quarantines", quarantines);
  RecordProperty("doubtful_minutes", doubts);
  std::printf("%d days: %d quarantines, %d minutes in doubt\n", days, quarantines, doubts);
  EXPECT_LE(quarantines, days / 100);
  EXPECT_LE(doubts, days * 24 * 60 / 100);
}

TEST(HealthSimulation, FindsASlowdownOfFivePercentWithinAMinute) {
  constexpr int kDevices = 400;
  int64_t longest_ns = 0;
  for (int device = 0; device < kDevices; ++device) {
    World world;
    GoldenNoise noise(static_cast<uint64_t>(device));
    Random random(static_cast<uint64_t>(device) + 1000);
    double slowdown = 1;
    world.golden = [&] { return noise.Run(world.now_ns, slowdown); };
    HealthWatch watch = world.Watch();
    world.Work(watch, 30 * kMinute + static_cast<int64_t>(1e9 * 60 * random.Uniform()), random);
    ASSERT_TRUE(watch.may_be_offered());
    slowdown = 1.05;
    const int64_t slow_ns = world.now_ns;
    world.Work(watch, 10 * kMinute, random);
    ASSERT_EQ(watch.state(), HealthState::kQuarantined) << device;
    longest_ns = std::max(longest_ns, world.now_ns - slow_ns);
  }
  RecordProperty("longest_ms", static_cast<int>(longest_ns / 1'000'000));
  EXPECT_LE(longest_ns, kMinute);
}

// Recorded runs of a machine, in pieces of twenty drawn at random.
class RecordedNoise {
 public:
  explicit RecordedNoise(uint64_t seed) : random_(seed) {
    std::ifstream file(HONE_TEST_DATA "/health/shared_guest.txt");
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::vector<int64_t> times(3);
      if (words >> times[0] >> times[1] >> times[2]) runs_.push_back(times);
    }
  }
  size_t size() const { return runs_.size(); }
  std::vector<int64_t> Run(double slowdown) {
    if (left_ == 0) {
      left_ = 20;
      next_ = random_.Below(runs_.size() - left_);
    }
    --left_;
    std::vector<int64_t> times = runs_[next_++];
    for (int64_t& time : times) time = static_cast<int64_t>(slowdown * static_cast<double>(time));
    return times;
  }

 private:
  Random random_;
  std::vector<std::vector<int64_t>> runs_;
  size_t next_ = 0, left_ = 0;
};

TEST(HealthSimulation, HoldsOnWhatAMachineReallyDid) {
  ASSERT_EQ(RecordedNoise(0).size(), 400u);
  constexpr int kDays = 50;
  int64_t longest_ns = 0;
  for (int day = 0; day < kDays; ++day) {
    World world;
    RecordedNoise noise(static_cast<uint64_t>(day));
    Random random(static_cast<uint64_t>(day) + 1000);
    double slowdown = 1;
    world.golden = [&] { return noise.Run(slowdown); };
    HealthWatch watch = world.Watch();
    world.Work(watch, kDay, random);
    ASSERT_TRUE(watch.may_be_offered()) << "day " << day << ": " << watch.ToJson();
    slowdown = 1.05;
    const int64_t slow_ns = world.now_ns;
    world.Work(watch, 10 * kMinute, random);
    ASSERT_EQ(watch.state(), HealthState::kQuarantined) << watch.ToJson();
    longest_ns = std::max(longest_ns, world.now_ns - slow_ns);
  }
  RecordProperty("longest_ms", static_cast<int>(longest_ns / 1'000'000));
  EXPECT_LE(longest_ns, kMinute);
}

}  // namespace
}  // namespace hone
