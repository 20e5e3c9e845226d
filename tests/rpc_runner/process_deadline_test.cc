#include "rpc_runner/process/process_deadline.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <functional>

#include "rpc_runner/process/clock.h"

namespace hone {
namespace {

using State = ProcessDeadline::State;
constexpr int64_t kLimitNs = 100'000'000;
constexpr int64_t kPatienceNs = ProcessDeadline::kLeastStarvedNs;  // for a very busy machine

class Child {
 public:
  explicit Child(const std::function<void()>& body) : pid_(fork()) {
    if (pid_ == 0) {
      body();
      _exit(0);
    }
  }
  ~Child() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  pid_t pid() const { return pid_; }

 private:
  const pid_t pid_;
};

void Spin() {
  for (std::atomic<int64_t> turns{0};; ++turns) {
  }
}

void Sleep() {
  for (;;) pause();
}

// Looks until the state is not kAhead, or the time is over.
State LookFor(ProcessDeadline& deadline, int64_t ns) {
  State state = State::kAhead;
  for (const int64_t end_ns = MonotonicNs() + ns; state == State::kAhead && MonotonicNs() < end_ns;) {
    usleep(10'000);
    state = deadline.Check();
  }
  return state;
}

TEST(ProcessDeadline, PassesForAProcessThatHadItsTime) {
  const Child child(Spin);
  ProcessDeadline deadline(child.pid(), kLimitNs);
  const int64_t begin_ns = MonotonicNs();
  EXPECT_EQ(LookFor(deadline, kPatienceNs), State::kPassed);
  EXPECT_GE(MonotonicNs() - begin_ns, kLimitNs);
}

TEST(ProcessDeadline, TellsOneThatSleeps) {
  const Child child(Sleep);
  ProcessDeadline deadline(child.pid(), kLimitNs);
  EXPECT_EQ(LookFor(deadline, kPatienceNs), State::kIdle);
}

TEST(ProcessDeadline, DoesNotCountTimeInWhichTheProcessIsStopped) {
  const Child child(Spin);
  ProcessDeadline deadline(child.pid(), kLimitNs);
  kill(child.pid(), SIGSTOP);
  EXPECT_EQ(LookFor(deadline, 5 * kLimitNs), State::kAhead);
  kill(child.pid(), SIGCONT);
  EXPECT_EQ(LookFor(deadline, kPatienceNs), State::kPassed);
}

TEST(ProcessDeadline, DoesNotCountTimeBeforeALateCheck) {
  const Child child(Sleep);
  constexpr int64_t kLongNs = 1'500'000'000;
  ProcessDeadline deadline(child.pid(), kLongNs / 2);
  usleep(kLongNs / 1'000);  // simulates a container that was frozen
  EXPECT_EQ(deadline.Check(), State::kAhead);
}

TEST(ProcessDeadline, IsPutOffByTheTimeThatIsGiven) {
  const Child child(Spin);
  ProcessDeadline deadline(child.pid(), kLimitNs);
  deadline.Extend(kLimitNs);
  const int64_t begin_ns = MonotonicNs();
  EXPECT_EQ(LookFor(deadline, kPatienceNs), State::kPassed);
  EXPECT_GE(MonotonicNs() - begin_ns, 2 * kLimitNs);
}

}  // namespace
}  // namespace hone
