// Machines whose cores are not all alike.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

// The part of /proc/cpuinfo's text that is of CPU `cpu`; all of it when no part is.
std::string_view CpuInfoOf(std::string_view cpuinfo, int cpu);

// The CPUs in `allowed` by their kinds; all under "" where all CPUs of the machine are alike. A CPU whose kind is not
// told is under "". On AArch64 kinds are LLVM's names of the cores ("cortex-a53") from cpuinfo, on x86 "atom" and
// "core" by Linux's lists in `devices` (cpu_atom/cpus, cpu_core/cpus).
std::map<std::string, std::vector<int>> CoresByKind(std::string_view cpuinfo, const std::vector<int>& allowed,
                                                    const std::string& devices = "/sys/devices");

}  // namespace hone
