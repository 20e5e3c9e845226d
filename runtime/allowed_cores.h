// The cores that this process may use.
#pragma once

#include <string>
#include <vector>

namespace hone {

// CPU numbers in the calling thread's affinity mask, ascending; empty when the system does not tell.
std::vector<int> AffinityCpus();

// The same in the order in which threads are bound to them: one of each core first, the least CPU at the front. Which
// are of one core is asked of the system once.
std::vector<int> CpusToPin();

// The least CPU quota, in cores, of the cgroup named by `membership` (the text of /proc/self/cgroup) and of the groups
// above it, with cgroup file systems mounted under `root` ("/sys/fs/cgroup"). Versions 2 and 1. 0 when there is no
// quota.
double CgroupQuotaCores(const std::string& membership, const std::string& root);

}  // namespace hone
