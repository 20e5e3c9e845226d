#include "runtime/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <limits>
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
      pool.Run([&](int worker) { ++calls[static_cast<size_t>(worker)]; });
    }
    EXPECT_EQ(calls, std::vector<int>(static_cast<size_t>(threads), 500));
  }
}

TEST(ThreadPool, WakesHelpersThatWentToSleep) {
  ThreadPool pool(3);
  std::atomic<int> calls{0};
  for (int round = 0; round < 3; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    pool.Run([&](int) { ++calls; });
  }
  EXPECT_EQ(calls, 9);
}

TEST(ThreadPool, WorkersSeeWhatTheCallerWroteBeforeRun) {
  ThreadPool pool(4);
  std::vector<int> values(4, 0);
  int plain = 0;
  for (int round = 0; round < 200; ++round) {
    plain = round;
    pool.Run([&](int worker) { values[static_cast<size_t>(worker)] = plain; });
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
  pool.Run([&](int) { ++calls; });
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
  pool.Run([&](int) { survivors += DenormalsSurvive() ? 1 : 0; });
  EXPECT_EQ(survivors, 0);
  EXPECT_TRUE(DenormalsSurvive());
}

TEST(ShareOf, CoversTheExtentOnceAtMultiplesOfGrain) {
  for (const int64_t extent : {0, 1, 7, 64, 1000}) {
    for (const int64_t grain : {1, 3, 16, 2000}) {
      for (const int workers : {1, 2, 3, 8}) {
        int64_t next = 0;
        for (int worker = 0; worker < workers; ++worker) {
          const WorkRange range = ShareOf(extent, grain, worker, workers);
          ASSERT_EQ(range.begin, next);
          ASSERT_TRUE(range.begin % grain == 0 || range.begin == extent);
          ASSERT_LE(range.begin, range.end);
          next = range.end;
        }
        ASSERT_EQ(next, extent);
      }
    }
  }
}

TEST(ShareOf, IsEvenToOnePiece) {
  for (int worker = 0; worker < 4; ++worker) {
    const WorkRange range = ShareOf(10, 1, worker, 4);
    EXPECT_GE(range.end - range.begin, 2);
    EXPECT_LE(range.end - range.begin, 3);
  }
}

TEST(ShareOf, HugeExtentsDoNotOverflow) {
  const int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(ShareOf(most, most - 1, 1, 2).end, most);
  EXPECT_EQ(ShareOf(most, 1, 4095, 4096).end, most);
}

}  // namespace
}  // namespace hone
