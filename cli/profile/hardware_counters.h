// What the CPU counts while a program runs, where the kernel lets us ask.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hone {

// Of all threads; 0 where that counter could not be had.
struct HardwareCounts {
  int64_t cycles = 0, instructions = 0, cache_misses = 0, branch_misses = 0;
  std::string why_not;  // when none could be had; else empty
  bool any() const { return why_not.empty(); }
};

// Linux's perf_event, of this process in user mode: of threads that are made after it, too. Never fails.
class HardwareCounters {
 public:
  HardwareCounters();
  ~HardwareCounters();
  HardwareCounters(const HardwareCounters&) = delete;
  HardwareCounters& operator=(const HardwareCounters&) = delete;

  void Begin();
  // What was counted since Begin.
  HardwareCounts End();

 private:
  std::vector<int> files_;  // one per counter; -1: it could not be had
  std::string why_not_;
};

}  // namespace hone
