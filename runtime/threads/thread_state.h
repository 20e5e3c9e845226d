// The state of a thread as CPU and system keep it: denormals, AMX's tile registers, and its time on a core.
#pragma once

#include <pthread.h>
#include <time.h>

#include <cstdint>

namespace hone {

// Sets flush-to-zero and denormals-are-zero for this thread during its lifetime, then restores the previous state.
class DenormalsOff {
 public:
  DenormalsOff();
  ~DenormalsOff();

 private:
  uint64_t saved_;
};

// Whether this process may run instructions on AMX's tile registers. The first call requests them from the system, for
// all threads of the process and for its forks. A process started by exec asks anew. False if the CPU has none or the
// system refuses: before Linux 5.16, or when a thread's signal stack is too small for them (AT_MINSIGSTKSZ).
// Thread-safe. Call it before a system call filter is installed.
bool MayUseTileRegisters();

// A thread's own clock. It stands still while the thread has no core, sleeps or waits for memory from a disk.
class CoreClock {
 public:
  CoreClock() = default;
  // The thread must live as long as the clock is read.
  explicit CoreClock(pthread_t thread);
  // 0 when the system does not tell.
  int64_t Ns() const;

 private:
  bool known_ = false;
  clockid_t id_{};
};

// The number of times that the system has taken the core from the calling thread.
int64_t CoreLosses();

// The time that a worker must stay away after others waited for it. It ran for ran_ns of that wait. The result is 0 if
// that is at least half of it, else a hundred times the rest, at most a second. So a busy neighbour costs about one
// part in a hundred.
int64_t TimeAwayNs(int64_t waited_ns, int64_t ran_ns);

}  // namespace hone
