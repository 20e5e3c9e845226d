#include "core/machine/available_threads.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace hone {
namespace {

bool AllOnce(int threads) {
  std::vector<std::atomic<int>> done(100);
  ForEachOnThreads(threads, done.size(), [&](size_t i) { ++done[i]; });
  bool all = true;
  for (const std::atomic<int>& times : done) all = all && times == 1;
  return all;
}

bool GivesThreads() {
  try {
    std::thread([] {}).join();
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

// Exit codes of a child to which the system gives no threads.
enum Ended : int { kRight = 0, kWrong = 1, kStillGiven = 2 };

int EndOfChildWithoutThreads() {
  const pid_t child = fork();
  if (child == 0) {
    // The limit on processes does not bind root, so stacks are made larger than the address space.
    rlimit little{};
    getrlimit(RLIMIT_STACK, &little);
    little.rlim_cur = std::min<rlim_t>(little.rlim_max, rlim_t{1} << 40);
    setrlimit(RLIMIT_STACK, &little);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, size_t{1} << 46);
    pthread_setattr_default_np(&attributes);
    if (GivesThreads()) _exit(kStillGiven);
    int later = 0;
    auto aside = AsideOrLater([&] { later = 7; });
    aside.get();
    _exit(AllOnce(4) && later == 7 ? kRight : kWrong);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(AvailableThreads, DoEachOnce) {
  for (const int threads : {-1, 0, 1, 2, 64, 1000}) EXPECT_TRUE(AllOnce(threads)) << threads;
}

TEST(AvailableThreads, ThrowWhatWasThrown) {
  for (const int threads : {1, 4}) {
    EXPECT_THROW(ForEachOnThreads(threads, 10, [](size_t i) { i == 3 ? throw std::runtime_error("three") : void(); }),
                 std::runtime_error);
  }
}

TEST(AvailableThreads, DoTheWorkWhereTheSystemGivesNone) {
  const int end = EndOfChildWithoutThreads();
  if (end == kStillGiven) GTEST_SKIP() << "this system gives threads of any size";
  EXPECT_EQ(end, kRight);
}

}  // namespace
}  // namespace hone
