// The energy use of the machine's processors, as counted by RAPL.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hone {

// Linux's powercap: the counters of all CPU packages, and of their memory if it has its own. They count everything that
// runs there, including idle cores. Used by one thread at a time.
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
