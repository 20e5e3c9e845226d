// Cores that are alike, and a thread on them.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace hone {

struct CoreGroup {
  std::string kind;       // as Environment's core_kind, of one; empty where all cores of the machine are alike
  std::vector<int> cpus;  // the system's numbers; empty: wherever this thread may run
};

// The groups of the cores in `allowed`; at least one.
std::vector<CoreGroup> CoreGroups(const std::vector<int>& allowed);

// Calls `work` in a thread of its own that runs on `cpus` alone, and waits for it. Where the system refuses, it runs
// where it may. Throws what `work` throws.
void RunOn(const std::vector<int>& cpus, const std::function<void()>& work);

}  // namespace hone
