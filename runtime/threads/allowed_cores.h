// The cores that this process may use, and the CPUs that are threads of one core (SMT).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace hone {

// CPU numbers in the calling thread's affinity mask, ascending; empty when the system does not tell.
std::vector<int> AffinityCpus();

// AffinityCpus in the order in which threads are bound to them: one CPU of each core first, in ascending order. The
// system is asked only once which CPUs share a core.
std::vector<int> CpusToPin();

// The least value above 0 that `read` returns for a cgroup and its ancestors; 0 if there is none. `membership`, the
// text of /proc/self/cgroup, names the cgroup, and `folder` holds a group's files. Cgroup file systems are mounted
// under `root` ("/sys/fs/cgroup"). Version 1 has one for each controller, and the one of `controller` is read.
double LeastOfCgroups(const std::string& membership, const std::string& root, const std::string& controller,
                      const std::function<double(const std::string& folder, bool version2)>& read);

// The least CPU quota of a cgroup and its ancestors, in cores; 0 if there is none. `membership`, the text of
// /proc/self/cgroup, names the cgroup. Cgroup file systems of version 1 or 2 are mounted under `root`
// ("/sys/fs/cgroup").
double CgroupQuotaCores(const std::string& membership, const std::string& root);

// The least CPU of the core that `cpu` belongs to; `cpu` itself if the system does not say. `root` is "/sys".
int FirstSibling(int cpu, const std::string& root = "/sys");

// FirstSibling of each CPU.
std::map<int, int> CoresOf(const std::vector<int>& cpus, const std::string& root = "/sys");

// `cpus` reordered: first one CPU of each core, in the given order, then their siblings. So the first N belong to as
// many cores as possible. `cores` is CoresOf's result; a CPU that is not in it counts as a core of its own.
std::vector<int> OneOfEachCoreFirst(const std::vector<int>& cpus, const std::map<int, int>& cores);

}  // namespace hone
