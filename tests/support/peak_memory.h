// Peak memory of a piece of work.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>

#include "tests/support/resident_bytes.h"

namespace hone {

// The most by which the process grows beyond its size when this is made. One at a time.
class PeakMemory {
 public:
  PeakMemory() {
    std::ofstream("/proc/self/clear_refs") << 5;
    before_ = ResidentBytes();
  }
  int64_t GrownBytes() const { return std::max<int64_t>(0, HighestBytes() - before_); }

 private:
  static int64_t HighestBytes() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
      int64_t kibibytes = 0;
      if (word == "VmHWM:" && status >> kibibytes) return kibibytes << 10;
    }
    return 0;
  }

  int64_t before_ = 0;
};

}  // namespace hone
