// Machines whose cores are not all alike.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

// The part of /proc/cpuinfo's text that is of CPU `cpu`; all of it when no part is.
std::string_view CpuInfoOf(std::string_view cpuinfo, int cpu);

// Environment.core_kind: the kinds of the CPUs in `allowed`, sorted and joined by commas; empty where all CPUs of the
// machine are alike. On AArch64 LLVM's names of the cores ("cortex-a53,cortex-a72") from cpuinfo, on x86 "atom" and
// "core" by Linux's lists in `devices` (cpu_atom/cpus, cpu_core/cpus).
std::string CoreKind(std::string_view cpuinfo, const std::vector<int>& allowed,
                     const std::string& devices = "/sys/devices");

// The CPUs in `allowed` by their kinds, in the same words; all under "" where all CPUs of the machine are alike. A CPU
// whose kind is not told is under "".
std::map<std::string, std::vector<int>> CoresByKind(std::string_view cpuinfo, const std::vector<int>& allowed,
                                                    const std::string& devices = "/sys/devices");

}  // namespace hone
