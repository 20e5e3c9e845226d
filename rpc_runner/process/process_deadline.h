// A deadline that counts time in which the process that is waited for could run.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace hone {

// The wall clock blames a process for a container that was frozen, a suspended laptop and a busy neighbour. Time counts
// while whoever waits runs too and the process is not stopped; then the deadline has passed once the process has used
// as much processor time, or uses none any more. Not thread-safe.
class ProcessDeadline {
 public:
  enum class State : uint8_t {
    kAhead,
    kPassed,   // the process had its time
    kIdle,     // it had its time, and sleeps
    kStarved,  // the time has passed kMostStretch times, and kLeastStarvedNs, and the process still was not given as
               // much of a processor
  };
  // Look is to be called at least so often.
  static constexpr int64_t kLookEveryNs = 50'000'000;
  static constexpr int64_t kMostStretch = 16;
  static constexpr int64_t kLeastStarvedNs = 60'000'000'000;

  // `pid`: a child of this process that has not been reaped. Its time begins now.
  ProcessDeadline(pid_t pid, int64_t limit_ns);
  State Look();
  // Puts the deadline off: the process had to wait for something that is not its own.
  void GiveTime(int64_t ns) { limit_ns_ += ns; }

 private:
  int64_t UsedNs() const;
  bool Stopped() const;
  void Count();

  const pid_t pid_;
  int64_t limit_ns_;
  int64_t last_ns_;         // when it was looked at
  int64_t counted_ns_ = 0;  // of the wall clock
  int64_t begin_used_ns_;
  int64_t seen_used_ns_;    // of the processor, when it was last seen to run
  int64_t seen_at_ns_ = 0;  // of counted_ns_, then
};

}  // namespace hone
