// The machine's sensors: clock, temperature, the CPU time that a hypervisor takes, and the use of energy.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

// The highest cpufreq clock of `cpus` in MHz; 0 if there is none. `root` is "/sys".
int ClockMhz(const std::vector<int>& cpus, const std::string& root = "/sys");

// The temperature of the hottest thermal zone or hardware monitor, in degrees Celsius; 0 if there is none. Sensors that
// report less than -50 or more than 200 are broken and ignored.
double HottestCelsius(const std::string& root = "/sys");

// CPU time, and the part of it that a hypervisor takes from this machine (steal). Counts in the system's ticks since
// boot.
struct CpuTicks {
  int64_t steal = 0;
  int64_t all = 0;
  int64_t idle = 0;  // waiting for I/O too
  bool operator==(const CpuTicks&) const = default;
};

// The sum over the CPUs in `cpus`, or over all CPUs if it is empty, from /proc/stat's text; zeros if it does not tell.
CpuTicks TicksOf(std::string_view stat, const std::vector<int>& cpus);
// As TicksOf, for this system at this time.
CpuTicks ReadTicks(const std::vector<int>& cpus);
// The share of steal between two readings, 0 to 1; 0 if no time has passed.
double StealShare(const CpuTicks& before, const CpuTicks& after);
// The number of CPUs that programs kept busy between two readings of all `cpus`; 0 if no time has passed.
double BusyCpus(const CpuTicks& before, const CpuTicks& after, int cpus);

// The energy use of the machine's processors, as RAPL counts it. Linux's powercap: the counters of all CPU packages,
// and of their memory if it has its own. They count everything that runs there, including idle cores. Used by one
// thread at a time.
class EnergyCounter {
 public:
  // `root` is "/sys". Never throws.
  explicit EnergyCounter(const std::string& root = "/sys");

  // Names such as "package-0" and "package-0 dram"; empty if no counter can be read.
  const std::vector<std::string>& domains() const { return names_; }
  // The reason in one line; empty if there are domains.
  const std::string& why_not() const { return why_not_; }

  // The energy of all domains together since construction; 0 without domains. Call it at least once per wrap-around of
  // the hardware's counters, which takes a minute or more.
  double Joules();

 private:
  struct Domain {
    std::string file;
    int64_t range_uj = 0;  // where it wraps around; 0: unknown
    int64_t last_uj = 0;
  };
  std::vector<Domain> domains_;
  std::vector<std::string> names_;
  std::string why_not_;
  int64_t total_uj_ = 0;
};

}  // namespace hone
