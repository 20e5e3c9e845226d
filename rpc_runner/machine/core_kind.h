// Kinds of cores, on machines with several.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

// The part of /proc/cpuinfo's text about CPU `cpu`; the whole text if there is no such part.
std::string_view CpuInfoOf(std::string_view cpuinfo, int cpu);

// The CPUs in `allowed` by kind. All are under "" if the machine has only one kind, and so are CPUs of unknown kind. On
// AArch64, kinds are LLVM's names of the cores ("cortex-a53") from cpuinfo. On x86 they are "atom" and "core", from
// Linux's lists in `devices` (cpu_atom/cpus, cpu_core/cpus).
std::map<std::string, std::vector<int>> CoresByKind(std::string_view cpuinfo, const std::vector<int>& allowed,
                                                    const std::string& devices = "/sys/devices");

}  // namespace hone
