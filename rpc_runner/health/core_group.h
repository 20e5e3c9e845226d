// Cores that are alike, and a thread on them.
#pragma once

#include <sched.h>

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

// The calling thread runs on `cpus` alone as long as this lives; where the system refuses, or for no cpus, where it
// may.
class PinnedThread {
 public:
  explicit PinnedThread(const std::vector<int>& cpus);
  ~PinnedThread();
  PinnedThread(const PinnedThread&) = delete;
  PinnedThread& operator=(const PinnedThread&) = delete;

 private:
  cpu_set_t before_;
  bool pinned_ = false;
};

// Calls `work` in a thread of its own, or in this one where the system gives none, that runs on `cpus` alone meanwhile,
// and waits for it. Throws what `work` throws.
void RunOn(const std::vector<int>& cpus, const std::function<void()>& work);

}  // namespace hone
