#include "runtime/threads/core_time.h"

#include <sys/resource.h>

#include <algorithm>

namespace hone {

CoreClock::CoreClock(pthread_t thread) : known_(pthread_getcpuclockid(thread, &id_) == 0) {}

int64_t CoreClock::Ns() const {
  timespec time{};
  if (!known_ || clock_gettime(id_, &time) != 0) return 0;
  return int64_t{1'000'000'000} * time.tv_sec + time.tv_nsec;
}

int64_t CoreLosses() {
  rusage usage{};
  return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw : 0;
}

int64_t TimeAwayNs(int64_t waited_ns, int64_t ran_ns) {
  constexpr int64_t kTimes = 100, kMostNs = 1'000'000'000;
  const int64_t idle_ns = waited_ns - ran_ns;
  return idle_ns <= waited_ns / 2 ? 0 : std::min(idle_ns, kMostNs / kTimes) * kTimes;
}

}  // namespace hone
