#include "runtime/threads/thread_pool.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "core/error.h"

namespace hone {
namespace {

TEST(ThreadPool, CallsEveryWorkerOnceAndWaitsForAll) {
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    std::vector<int> calls(static_cast<size_t>(threads), 0);
    for (int round = 0; round < 500; ++round) {
      pool.RunOnEach([&](int worker) { ++calls[static_cast<size_t>(worker)]; });
    }
    EXPECT_EQ(calls, std::vector<int>(static_cast<size_t>(threads), 500));
  }
}

TEST(ThreadPool, WakesHelpersThatWentToSleep) {
  ThreadPool pool(3);
  std::atomic<int> calls{0};
  for (int round = 0; round < 3; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    pool.RunOnEach([&](int) { ++calls; });
  }
  EXPECT_EQ(calls, 9);
}

// The number of times that each part was worked on.
std::vector<int> TimesWorkedOn(ThreadPool& pool, int parts) {
  std::vector<std::atomic<int>> counts(static_cast<size_t>(parts));
  pool.RunParts(parts, [&](int, int begin, int end) {
    for (int part = begin; part < end; ++part) ++counts[static_cast<size_t>(part)];
  });
  return {counts.begin(), counts.end()};
}

TEST(ThreadPool, WorksOnEachPartOnce) {
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    for (int round = 0; round < 300; ++round) {
      const int parts = 1 + round % 13;
      ASSERT_EQ(TimesWorkedOn(pool, parts), std::vector<int>(static_cast<size_t>(parts), 1));
    }
  }
}

// Stops threads at any point by a signal whose handler spins until LetGo.
class Freezer {
 public:
  Freezer() {
    frozen_ = 0;
    hold_ = false;
    struct sigaction action = {};
    action.sa_handler = [](int) {
      ++frozen_;
      while (hold_.load()) {
      }
      --frozen_;
    };
    sigaction(SIGUSR1, &action, nullptr);
  }
  void Freeze(pthread_t thread) {
    hold_ = true;
    pthread_kill(thread, SIGUSR1);
    while (frozen_ == 0) std::this_thread::yield();
  }
  void LetGo() {
    hold_ = false;
    while (frozen_ != 0) std::this_thread::yield();
  }

 private:
  static inline std::atomic<int> frozen_;
  static inline std::atomic<bool> hold_;
};

pthread_t SecondThreadOf(ThreadPool& pool) {
  pthread_t second{};
  pool.RunOnEach([&](int worker) {
    if (worker == 1) second = pthread_self();
  });
  return second;
}

TEST(ThreadPool, DoesTheWorkOfAHelperThatNeverComes) {
  ThreadPool pool(2);
  Freezer freezer;
  freezer.Freeze(SecondThreadOf(pool));
  for (int round = 0; round < 100; ++round) EXPECT_EQ(TimesWorkedOn(pool, 7), std::vector<int>(7, 1));
  freezer.LetGo();
  EXPECT_EQ(TimesWorkedOn(pool, 7), std::vector<int>(7, 1));
}

// The helper stays in its first part until all others have ended, so this ends only if the caller takes them.
TEST(ThreadPool, WaitsForNoMoreThanThePartThatAHelperHasBegun) {
  ThreadPool pool(2);
  bool came = false;
  for (int round = 0; round < 1000 && !came; ++round) {
    std::atomic<int> ended{0};
    std::atomic<bool> begun{false};
    pool.RunParts(8, [&](int worker, int begin, int end) {
      const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(10);
      while (worker == 0 && !begun && std::chrono::steady_clock::now() < until) std::this_thread::yield();
      if (worker == 1) begun = true;
      while (worker == 1 && ended < 7) std::this_thread::yield();
      ended += end - begin;
    });
    EXPECT_EQ(ended, 8);
    came = begun;
  }
  EXPECT_TRUE(came);
}

// Each round's counts are freed after it, so a sanitizer reports a helper that touches those of an earlier round.
TEST(ThreadPool, AHelperThatIsFrozenAnywhereTouchesNoStageThatIsOver) {
  ThreadPool pool(2);
  const pthread_t second = SecondThreadOf(pool);
  std::atomic<bool> over{false};
  std::thread freezing([&] {
    Freezer freezer;
    for (int i = 0; !over; ++i) {
      freezer.Freeze(second);
      std::this_thread::sleep_for(std::chrono::microseconds(i % 7));
      freezer.LetGo();
      std::this_thread::sleep_for(std::chrono::microseconds(i % 5));
    }
  });
  for (int round = 0; round < 5000; ++round) {
    const int parts = 1 + round % 9;
    ASSERT_EQ(TimesWorkedOn(pool, parts), std::vector<int>(static_cast<size_t>(parts), 1));
  }
  over = true;
  freezing.join();
}

TEST(ThreadPool, WorkersSeeWhatTheCallerWroteBeforeRun) {
  ThreadPool pool(4);
  std::vector<int> values(4, 0);
  int plain = 0;
  for (int round = 0; round < 200; ++round) {
    plain = round;
    pool.RunOnEach([&](int worker) { values[static_cast<size_t>(worker)] = plain; });
    for (const int value : values) ASSERT_EQ(value, round);
  }
}

TEST(ThreadPool, RefusesNoThreads) {
  EXPECT_THROW(ThreadPool(0), Error);
  EXPECT_THROW(ThreadPool(-1), Error);
}

TEST(ThreadPool, PinsWithoutFailing) {
  ThreadPool pool(2, /*pin=*/true);
  std::atomic<int> calls{0};
  pool.RunOnEach([&](int) { ++calls; });
  EXPECT_EQ(calls, 2);
}

// 1e-40 is denormal: it survives a multiplication by one only where denormals are on.
bool DenormalsSurvive() {
  volatile float tiny = 1e-40F;
  volatile float one = 1;
  return tiny * one != 0;
}

TEST(ThreadPool, WorkersFlushDenormalsAndTheCallerKeepsItsOwn) {
#if defined(__riscv)
  GTEST_SKIP() << "RISC-V has no such mode";
#endif
  ThreadPool pool(3);
  std::atomic<int> survivors{0};
  pool.RunOnEach([&](int) { survivors += DenormalsSurvive() ? 1 : 0; });
  EXPECT_EQ(survivors, 0);
  EXPECT_TRUE(DenormalsSurvive());
}

}  // namespace
}  // namespace hone
