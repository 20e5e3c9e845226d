// The CPUs of this machine: their instruction sets and kinds, and their places (core, memory node and speed), on which
// times depend.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

// The value of the first line "name : value", or empty.
std::string CpuInfoValue(std::string_view cpuinfo, std::string_view name);
// The part of /proc/cpuinfo's text about CPU `cpu`; the whole text if there is no such part.
std::string_view CpuInfoOf(std::string_view cpuinfo, int cpu);

// This CPU's instruction sets by LLVM's names, space-separated and sorted. They include all that a target may imply
// (ImpliedFeatures in compiler/codegen/target/host.h), so an unlisted one is missing. On x86 they come from the flags,
// on ARM and RISC-V from the auxiliary vector (correct under emulation too).
std::string CpuFeatures(std::string_view cpuinfo);
// The features in the "flags" line of an x86 /proc/cpuinfo.
std::string FeaturesFromFlags(std::string_view flags);

// The CPUs in `allowed` by kind. All are under "" if the machine has only one kind, and so are CPUs of unknown kind. On
// AArch64, kinds are LLVM's names of the cores ("cortex-a53") from cpuinfo. On x86 they are "atom" and "core", from
// Linux's lists in `devices` (cpu_atom/cpus, cpu_core/cpus).
std::map<std::string, std::vector<int>> CoresByKind(std::string_view cpuinfo, const std::vector<int>& allowed,
                                                    const std::string& devices = "/sys/devices");

struct CpuPlace {
  int cpu = 0;
  std::string kind;      // as CoresByKind's; clusters that differ only in capacity add "@" and the capacity
  int core = 0;          // the least CPU of the same core
  int node = 0;          // memory node (NUMA); 0 if unknown
  int64_t capacity = 0;  // Linux's measure of speed, 1024 for the fastest; 0 if unknown
  bool operator==(const CpuPlace&) const = default;
};

// The places of `cpus`, in the same order. `cpuinfo` is /proc/cpuinfo's text and `root` is "/sys".
std::vector<CpuPlace> PlacesOf(const std::vector<int>& cpus, std::string_view cpuinfo,
                               const std::string& root = "/sys");

// The CPUs that are online; `allowed` if the system does not tell.
std::vector<int> OnlineCpus(const std::vector<int>& allowed, const std::string& root = "/sys");

// Lets the process's main thread run on these CPUs alone; 0 is the calling thread. Returns false if the system refuses.
bool BindTo(const std::vector<int>& cpus, pid_t process = 0);

}  // namespace hone
