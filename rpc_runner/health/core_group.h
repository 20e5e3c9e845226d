// Groups of equal cores, and threads bound to them.
#pragma once

#include <sched.h>

#include <functional>
#include <string>
#include <vector>

namespace hone {

struct CoreGroup {
  std::string kind;       // as Environment's core_kind, but of one kind; empty if all cores of the machine are alike
  std::vector<int> cpus;  // the system's CPU numbers; empty: all that this thread may run on
};

// The groups of the cores in `allowed`; at least one.
std::vector<CoreGroup> CoreGroups(const std::vector<int>& allowed);

// Binds the calling thread to `cpus` while it lives. If the system refuses, or `cpus` is empty, the thread stays where
// it was allowed to run.
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

// Calls `work` in a new thread bound to `cpus` and waits for it. If the system gives no thread, uses this one. Throws
// what `work` throws.
void RunOn(const std::vector<int>& cpus, const std::function<void()>& work);

}  // namespace hone
