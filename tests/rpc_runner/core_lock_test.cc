#include "rpc_runner/machine/core_lock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "rpc_runner/process/clock.h"
#include "runtime/threads/allowed_cores.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMillisecond = 1'000'000;

// A machine of four CPUs: 0 and 2 are one core, 1 and 3 the other.
class CoreLockTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = testing::TempDir() + "core_lock_" + std::to_string(getpid());
    for (int cpu = 0; cpu < 4; ++cpu) {
      const fs::path folder = root_ + "/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology";
      fs::create_directories(folder);
      std::ofstream(folder / "core_id") << cpu % 2 << "\n";
      std::ofstream(folder / "thread_siblings_list") << (cpu % 2 == 0 ? "0,2\n" : "1,3\n");
    }
  }
  void TearDown() override { fs::remove_all(root_); }

  std::string root_;
};

TEST_F(CoreLockTest, KeepsOthersFromTheSameCores) {
  CoreLock mine({0, 1}, root_), yours({2}, root_), theirs({3}, root_);
  ASSERT_TRUE(mine.Take(0));
  EXPECT_FALSE(yours.Take(3 * kMillisecond)) << "CPU 2 is a sibling of CPU 0";
  EXPECT_FALSE(theirs.Take(0));
  mine.Release();
  EXPECT_TRUE(yours.Take(0));
  EXPECT_TRUE(theirs.Take(0)) << "another core";
}

TEST_F(CoreLockTest, HoldsAllOrNone) {
  CoreLock first({0}, root_), second({1}, root_), both({0, 1}, root_);
  ASSERT_TRUE(second.Take(0));
  EXPECT_FALSE(both.Take(2 * kMillisecond));
  EXPECT_TRUE(first.Take(0)) << "the one that waits holds core 0";
}

TEST_F(CoreLockTest, WaitsForItsTurn) {
  CoreLock mine({0}, root_), yours({0}, root_);
  std::atomic<bool> released{false};
  ASSERT_TRUE(mine.Take(0));
  std::thread other([&] {
    const CoreTurn turn(yours, 60'000 * kMillisecond);
    EXPECT_TRUE(turn.alone());
    EXPECT_TRUE(released);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  released = true;
  mine.Release();
  other.join();
  EXPECT_TRUE(mine.Take(0)) << "the turn is over with its scope";
}

TEST_F(CoreLockTest, EndsWithItsProcess) {
  CoreLock mine({0}, root_);
  const pid_t child = fork();
  if (child == 0) {
    CoreLock* lock = new CoreLock({0}, root_);
    lock->Take(0);
    _exit(0);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(mine.Take(0));
}

TEST_F(CoreLockTest, LocksNothingThatTheSystemDoesNotDescribe) {
  CoreLock mine({7}, root_), yours({7}, root_);
  EXPECT_TRUE(mine.Take(0));
  EXPECT_TRUE(yours.Take(0));
}

TEST(CoreLock, WorksOnThisMachine) {
  const std::vector<int> cpus = AffinityCpus();
  if (!fs::exists("/sys/devices/system/cpu/cpu" + std::to_string(cpus.at(0)) + "/topology/core_id")) {
    GTEST_SKIP() << "this system does not describe its cores";
  }
  CoreLock mine({cpus[0]}), yours({cpus[0]});
  // A measurement beside this test may hold the core, so this waits for its turn.
  ASSERT_TRUE(mine.Take(kMostTurnNs));
  EXPECT_FALSE(yours.Take(0));
}

}  // namespace
}  // namespace hone
