// A deadline that only counts time in which the observed process could run.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace hone {

// The wall clock would blame a process for a frozen container, a suspended laptop or a busy neighbour. So time counts
// only while the observer runs too and the process is not stopped. Then the deadline has passed once the process has
// used as much processor time, or has stopped using any. Not thread-safe.
class ProcessDeadline {
 public:
  enum class State : uint8_t {
    kAhead,
    kPassed,   // the process used that much processor time
    kIdle,     // the time has passed, and the process sleeps
    kStarved,  // the time has passed kMostStretch times, and kLeastStarvedNs, but the process still lacked a processor
  };
  // The longest time between two calls of Check.
  static constexpr int64_t kCheckEveryNs = 50'000'000;
  static constexpr int64_t kMostStretch = 16;
  static constexpr int64_t kLeastStarvedNs = 60'000'000'000;

  // `pid`: a child of this process that has not been reaped. The deadline starts at construction.
  ProcessDeadline(pid_t pid, int64_t limit_ns);
  State Check();
  // Extends the deadline: the process had to wait for something outside it.
  void Extend(int64_t ns) { limit_ns_ += ns; }

 private:
  int64_t UsedNs() const;
  bool Stopped() const;
  void Count();

  const pid_t pid_;
  int64_t limit_ns_;
  int64_t last_ns_;         // when Check was last called
  int64_t counted_ns_ = 0;  // wall-clock time that counts
  int64_t begin_used_ns_;
  int64_t seen_used_ns_;    // processor time when the process was last seen to run
  int64_t seen_at_ns_ = 0;  // counted_ns_ at that moment
};

}  // namespace hone
