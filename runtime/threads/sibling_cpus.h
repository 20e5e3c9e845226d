// CPUs that are threads of one core (SMT).
#pragma once

#include <map>
#include <string>
#include <vector>

namespace hone {

// The least CPU of the core that `cpu` belongs to; `cpu` itself if the system does not say. `root` is "/sys".
int FirstSibling(int cpu, const std::string& root = "/sys");

// FirstSibling of each CPU.
std::map<int, int> CoresOf(const std::vector<int>& cpus, const std::string& root = "/sys");

// `cpus` reordered: first one CPU of each core, in the given order, then their siblings. So the first N belong to as
// many cores as possible. `cores` is CoresOf's result; a CPU that is not in it counts as a core of its own.
std::vector<int> OneOfEachCoreFirst(const std::vector<int>& cpus, const std::map<int, int>& cores);

}  // namespace hone
