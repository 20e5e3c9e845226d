// Whether threads have a core to run on.
#pragma once

#include <pthread.h>
#include <time.h>

#include <cstdint>

namespace hone {

// A thread's own clock, which stands still while it has no core, sleeps or waits for memory from a disk.
class CoreClock {
 public:
  CoreClock() = default;
  // The thread must live as long as this is asked.
  explicit CoreClock(pthread_t thread);
  // 0 when the system does not tell.
  int64_t Ns() const;

 private:
  bool known_ = false;
  clockid_t id_{};
};

// How often the system has taken the core from the calling thread.
int64_t CoreLosses();

// How long a worker is to stay away for which others waited, and which ran for ran_ns of that time: 0 when it ran for
// half of it or more, else a hundred times what it did not run, at most a second. So a busy neighbour costs about one
// part in a hundred.
int64_t TimeAwayNs(int64_t waited_ns, int64_t ran_ns);

}  // namespace hone
