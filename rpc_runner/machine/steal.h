// What a hypervisor takes of our cores' time.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace hone {

// In the system's ticks, since it began.
struct CpuTicks {
  int64_t steal = 0;
  int64_t all = 0;
  bool operator==(const CpuTicks&) const = default;
};

// Of the CPUs in `cpus` together, of all where it is empty, from /proc/stat's text; zeros where it does not tell.
CpuTicks TicksOf(std::string_view stat, const std::vector<int>& cpus);
// The same of this system now.
CpuTicks ReadTicks(const std::vector<int>& cpus);
// The share of steal between two readings, 0 to 1; 0 where no time has passed.
double StealShare(const CpuTicks& before, const CpuTicks& after);

}  // namespace hone
