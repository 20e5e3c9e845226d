#include "rpc_runner/health/health_watch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "rpc_runner/health/golden_history.h"
#include "tests/rpc_runner/health_world.h"

namespace hone {
namespace {

constexpr int64_t kSecond = 1'000'000'000, kMinute = 60 * kSecond;

class Folder {
 public:
  Folder() : path_(testing::TempDir() + "hone_health_" + std::to_string(getpid())) {}
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }
  std::string File() const { return HistoryPath(path_, kSomeDevice); }

 private:
  const std::string path_;
};

TEST(HealthWatch, MeasuresBeforeAndAfterALeaseButNotTwiceAtOnce) {
  World world;
  HealthWatch watch = world.Watch();
  Random random(1);
  world.Work(watch, 3 * kMinute, random);
  ASSERT_EQ(watch.state(), HealthState::kHealthy);
  watch.RunCheck();
  EXPECT_FALSE(watch.IsDue());
  watch.RequestCheck();
  EXPECT_FALSE(watch.IsDue());
  world.now_ns += 3 * kSecond;
  EXPECT_TRUE(watch.IsDue());
  watch.RunCheck();
  world.now_ns += 3 * kSecond;
  EXPECT_FALSE(watch.IsDue());
  world.now_ns += 20 * kSecond;
  EXPECT_TRUE(watch.IsDue());
}

TEST(HealthWatch, StampsWhatWasMeasuredInDoubt) {
  World world;
  HealthWatch watch = world.Watch();
  Random random(1);
  world.Work(watch, 3 * kMinute, random);
  Measurement measurement;
  watch.Stamp(&measurement);
  EXPECT_FALSE(measurement.noisy);
  EXPECT_EQ(measurement.environment.health, "");
  EXPECT_EQ(measurement.environment.golden_kernel, "1-avx2");
  EXPECT_EQ(measurement.environment.golden_ns, 6000);
  world.golden = [] { return std::vector<int64_t>{1100, 2000, 3000}; };
  watch.RunCheck();
  watch.Stamp(&measurement);
  EXPECT_TRUE(measurement.noisy);
  EXPECT_EQ(measurement.environment.health, "golden kernel 10.0 % slower than usual (arithmetic)");
  EXPECT_EQ(watch.ToJson()["state"], "doubted");
}

TEST(HealthWatch, RunsASlowOneAgainAtOnce) {
  World world;
  HealthWatch watch = world.Watch();
  Random random(1);
  world.Work(watch, 3 * kMinute, random);
  int runs = 0;
  world.golden = [&runs] { return std::vector<int64_t>{++runs == 3 ? 1000 : 1500, 2000, 3000}; };
  watch.RunCheck();
  EXPECT_EQ(runs, 3);
  EXPECT_EQ(watch.state(), HealthState::kHealthy);
}

TEST(HealthWatch, TakesAnotherMachineForAnotherMachine) {
  World world;
  HealthWatch watch = world.Watch();
  world.machine = "";
  watch.RunCheck();
  EXPECT_TRUE(watch.may_be_offered());
  world.machine = "AuthenticAMD-25-17-1";
  watch.RunCheck();
  EXPECT_FALSE(watch.may_be_offered());
  ASSERT_EQ(world.complaints.size(), 1u);
  EXPECT_NE(world.complaints[0].find("\"AuthenticAMD-25-17-1\" now"), std::string::npos) << world.complaints[0];
}

TEST(HealthWatch, RemembersItsDeviceAfterARestart) {
  const Folder folder;
  World world;
  Random random(1);
  {
    HealthWatch watch = world.Watch(folder.path());
    world.Work(watch, 5 * kMinute, random);
  }
  world.golden = [] { return std::vector<int64_t>{1060, 2000, 3000}; };
  HealthWatch watch = world.Watch(folder.path());
  EXPECT_EQ(watch.state(), HealthState::kDoubted) << "by the first run";
  EXPECT_EQ(world.complaints, std::vector<std::string>());
}

TEST(HealthWatch, LearnsAnewFromADamagedFile) {
  const Folder folder;
  World world;
  Random random(1);
  {
    HealthWatch watch = world.Watch(folder.path());
    world.Work(watch, 5 * kMinute, random);
  }
  std::ifstream file(folder.File());
  std::stringstream text;
  text << file.rdbuf();
  const std::string whole = text.str();
  ASSERT_GT(whole.size(), 400u);
  std::string problem;
  EXPECT_TRUE(LoadHistory(folder.File(), kSomeDevice, 3, &problem).enough());
  EXPECT_EQ(problem, "");
  for (size_t size = 0; size + 1 < whole.size(); size += 1 + size / 20) {
    std::ofstream(folder.File()) << whole.substr(0, size);
    problem.clear();
    ASSERT_EQ(LoadHistory(folder.File(), kSomeDevice, 3, &problem).size(), 0u) << size;
    ASSERT_NE(problem.find("learnt anew"), std::string::npos);
  }
  std::ofstream(folder.File()) << whole;
  problem.clear();
  EXPECT_EQ(LoadHistory(folder.File(), "another device", 3, &problem).size(), 0u);
  EXPECT_NE(problem.find("another device"), std::string::npos) << problem;
  problem.clear();
  EXPECT_EQ(LoadHistory(folder.File(), kSomeDevice, 6, &problem).size(), 0u);
  EXPECT_NE(problem, "");
}

TEST(HealthWatch, WorksWithoutAWritableFolder) {
  World world;
  HealthWatch watch = world.Watch("/proc/no_such_folder");
  Random random(1);
  world.Work(watch, 10 * kMinute, random);
  EXPECT_EQ(watch.state(), HealthState::kHealthy);
  EXPECT_EQ(world.complaints.size(), 1u);
}

}  // namespace
}  // namespace hone
