// The cores that this process may use.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace hone {

// CPU numbers in the calling thread's affinity mask, ascending; empty when the system does not tell.
std::vector<int> AffinityCpus();

// The same in the order in which threads are bound to them: one of each core first, the least CPU at the front. Which
// are of one core is asked of the system once.
std::vector<int> CpusToPin();

// The least value above 0 that `read` gives for the cgroup named by `membership` (the text of /proc/self/cgroup) and
// for the groups above it, whose files are in `folder`; 0 when there is none. Cgroup file systems are mounted under
// `root` ("/sys/fs/cgroup"); version 1 has one for each controller, and that of `controller` is read.
double LeastOfCgroups(const std::string& membership, const std::string& root, const std::string& controller,
                      const std::function<double(const std::string& folder, bool version2)>& read);

// The least CPU quota, in cores, of the cgroup named by `membership` (the text of /proc/self/cgroup) and of the groups
// above it, with cgroup file systems mounted under `root` ("/sys/fs/cgroup"). Versions 2 and 1. 0 when there is no
// quota.
double CgroupQuotaCores(const std::string& membership, const std::string& root);

}  // namespace hone
