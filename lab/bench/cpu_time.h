// CPU time of this process.
#pragma once

#include <time.h>

#include <cstdint>

namespace hone {

// CPU time of all threads so far.
inline int64_t ProcessCpuNs() {
  timespec spent{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
  return int64_t{1'000'000'000} * spent.tv_sec + spent.tv_nsec;
}

}  // namespace hone
