// A process of whose system calls, and those of all it starts, one is refused: the Nth, for any N.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace hone::testing {

// Shared by the process and whoever refuses its calls.
class SyscallFaults {
 public:
  // From now on the calls that can be refused are counted, and the `nth` of them, from 1, is.
  void Arm(int64_t nth) {
    refused_ = -1;
    seen_ = 0;
    target_ = nth;
  }
  void Disarm() { target_ = 0; }
  // The number of the call that was refused; -1: there were not so many.
  int refused() const { return refused_; }

  // What is done with the next call of this number; 0: it may go on, else the error it ends with.
  int ErrorOf(int number);

 private:
  std::atomic<int64_t> target_{0}, seen_{0};
  std::atomic<int> refused_{-1};
};

// Forks a child that calls `body` with the faults, which are refused it by this process, and waits for its end: calls
// that open, map, write, read, start, connect. Returns the child's exit code, 0 when `body` returns and 1 when it
// throws, or minus the signal that it died of; absent code kNoFilter: the system has no filters that tell.
inline constexpr int kNoFilter = 255;
int RunWithFaults(const std::function<void(SyscallFaults&)>& body);

}  // namespace hone::testing
