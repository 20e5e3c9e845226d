#include "rpc_runner/process/process_deadline.h"

#include <sys/wait.h>
#include <time.h>

#include <algorithm>

#include "rpc_runner/process/clock.h"

namespace hone {
namespace {

// The most time that counts between two looks: if more has passed, the observer was kept from running too.
constexpr int64_t kMostStepNs = 4 * ProcessDeadline::kCheckEveryNs;
// A process that used no processor for so long sleeps: even a busy scheduler lets every process run more often.
constexpr int64_t kSleepsNs = 3'000'000'000;
// Processor time that shows that a process runs. A sleeping process uses less for a signal or a timer.
constexpr int64_t kRunsNs = 1'000'000;

}  // namespace

ProcessDeadline::ProcessDeadline(pid_t pid, int64_t limit_ns)
    : pid_(pid),
      limit_ns_(limit_ns),
      last_ns_(MonotonicNs()),
      begin_used_ns_(UsedNs()),
      seen_used_ns_(begin_used_ns_) {}

int64_t ProcessDeadline::UsedNs() const {
  clockid_t clock{};
  return clock_getcpuclockid(pid_, &clock) == 0 ? ClockNs(clock) : 0;
}

bool ProcessDeadline::Stopped() const {
  siginfo_t info = {};
  return waitid(P_PID, static_cast<id_t>(pid_), &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid_;
}

void ProcessDeadline::Count() {
  const int64_t now_ns = MonotonicNs();
  const int64_t step_ns = std::min(now_ns - last_ns_, kMostStepNs);
  last_ns_ = now_ns;
  if (!Stopped()) counted_ns_ += step_ns;
}

ProcessDeadline::State ProcessDeadline::Check() {
  Count();
  const int64_t used_ns = UsedNs();
  if (used_ns - seen_used_ns_ >= kRunsNs) {
    seen_used_ns_ = used_ns;
    seen_at_ns_ = counted_ns_;
  }
  if (counted_ns_ < limit_ns_) return State::kAhead;
  if (used_ns - begin_used_ns_ >= limit_ns_) return State::kPassed;
  if (counted_ns_ - seen_at_ns_ >= kSleepsNs) return State::kIdle;
  const bool starved = counted_ns_ / kMostStretch >= limit_ns_ && counted_ns_ >= kLeastStarvedNs;
  return starved ? State::kStarved : State::kAhead;
}

}  // namespace hone
