// Where the CPUs of a machine lie, which decides what their times mean.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hone {

struct CpuPlace {
  int cpu = 0;
  std::string kind;      // as CoresByKind's; of clusters that differ in capacity alone "@" and that behind it
  int core = 0;          // the least CPU of the same core
  int node = 0;          // of memory (NUMA); 0 where the system does not tell
  int64_t capacity = 0;  // how fast Linux takes it to be, 1024 for the fastest; 0 where it does not tell
  bool operator==(const CpuPlace&) const = default;
};

// Those of `cpus`, in their order. `cpuinfo` is /proc/cpuinfo's text and `root` is "/sys".
std::vector<CpuPlace> PlacesOf(const std::vector<int>& cpus, std::string_view cpuinfo,
                               const std::string& root = "/sys");

// The CPUs that are on line; `allowed` where the system does not tell.
std::vector<int> OnlineCpus(const std::vector<int>& allowed, const std::string& root = "/sys");

}  // namespace hone
