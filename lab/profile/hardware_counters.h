// The CPU's hardware counters while a program runs, if the kernel permits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hone {

// Counts of all threads; 0 if a counter was not available.
struct HardwareCounts {
  int64_t cycles = 0, instructions = 0, cache_misses = 0, branch_misses = 0;
  std::string why_not;  // reason if none was available; else empty
  bool any() const { return why_not.empty(); }
};

// Linux's perf_event, for this process in user mode, including threads that are made after it. Never fails.
class HardwareCounters {
 public:
  HardwareCounters();
  ~HardwareCounters();
  HardwareCounters(const HardwareCounters&) = delete;
  HardwareCounters& operator=(const HardwareCounters&) = delete;

  void Begin();
  // The counts since Begin.
  HardwareCounts End();

 private:
  std::vector<int> files_;  // one per counter; -1: not available
  std::string why_not_;
};

}  // namespace hone
