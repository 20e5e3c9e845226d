// CPUs that are threads of one core (SMT).
#pragma once

#include <map>
#include <string>
#include <vector>

namespace hone {

// The least CPU of the core that `cpu` belongs to; `cpu` itself where the system does not say. `root` is "/sys".
int FirstSibling(int cpu, const std::string& root = "/sys");

// FirstSibling of each of them.
std::map<int, int> CoresOf(const std::vector<int>& cpus, const std::string& root = "/sys");

// `cpus` with one of each core first, as they come, and their siblings behind these: the first N are of as many cores
// as can be. `cores` is CoresOf's; a CPU that is not in it is a core of its own.
std::vector<int> OneOfEachCoreFirst(const std::vector<int>& cpus, const std::map<int, int>& cores);

}  // namespace hone
