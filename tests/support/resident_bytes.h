// The current memory use of the calling process.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <fstream>

namespace hone {

// Bytes of its resident pages, as the kernel counts them.
inline int64_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  int64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

}  // namespace hone
