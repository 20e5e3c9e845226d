// The CPU time that a hypervisor takes from this machine.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace hone {

// Counts in the system's ticks since boot.
struct CpuTicks {
  int64_t steal = 0;
  int64_t all = 0;
  bool operator==(const CpuTicks&) const = default;
};

// The sum over the CPUs in `cpus`, or over all CPUs if it is empty, from /proc/stat's text; zeros if it does not tell.
CpuTicks TicksOf(std::string_view stat, const std::vector<int>& cpus);
// As TicksOf, for this system at this time.
CpuTicks ReadTicks(const std::vector<int>& cpus);
// The share of steal between two readings, 0 to 1; 0 if no time has passed.
double StealShare(const CpuTicks& before, const CpuTicks& after);

}  // namespace hone
