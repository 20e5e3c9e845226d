// Refuses one system call of a process and of all that it starts: the Nth, for any N.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace hone::testing {

// Shared by the process and the one that refuses its calls.
class SyscallFaults {
 public:
  // From here on counts the calls that can be refused and refuses the `nth`, counted from 1.
  void Arm(int64_t nth) {
    refused_ = -1;
    seen_ = 0;
    target_ = nth;
  }
  void Disarm() { target_ = 0; }
  // The system call's number of the refused call; -1 if there were fewer calls than that.
  int refused() const { return refused_; }

  // The error with which the next call, of this number, ends; 0 to let it go on.
  int ErrorOf(int number);

 private:
  std::atomic<int64_t> target_{0}, seen_{0};
  std::atomic<int> refused_{-1};
};

// Forks a child that calls `body` with the faults, refuses the child's calls, and waits for its end. The calls are
// those that open, map, write, read, start and connect. Returns the child's exit code: 0 when `body` returns and 1 when
// it throws; or the negated number of the signal that ended it. Returns kNoFilter when the system cannot report calls
// through a filter.
inline constexpr int kNoFilter = 255;
int RunWithFaults(const std::function<void(SyscallFaults&)>& body);

}  // namespace hone::testing
