// What the machine's processors use, as RAPL counts it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hone {

// Linux's powercap: the counters of all CPU packages, and of their memory where they have one for it. They count
// whatever runs there, idle cores too. Used by one thread at a time.
class EnergyCounter {
 public:
  // `root` is "/sys". Never throws.
  explicit EnergyCounter(const std::string& root = "/sys");

  // "package-0", "package-0 dram"; empty when none can be read.
  const std::vector<std::string>& domains() const { return names_; }
  // One line; empty when there are domains.
  const std::string& why_not() const { return why_not_; }

  // Since the counter was made, all domains together. It must be asked once in each turn of the hardware's counters,
  // which takes a minute at the least; 0 without domains.
  double Joules();

 private:
  struct Domain {
    std::string file;
    int64_t range_uj = 0;  // where it begins again; 0: not known
    int64_t last_uj = 0;
  };
  std::vector<Domain> domains_;
  std::vector<std::string> names_;
  std::string why_not_;
  int64_t total_uj_ = 0;
};

}  // namespace hone
