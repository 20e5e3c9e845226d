#include "rpc_runner/health/core_group.h"

#include <string>
#include <utility>

#include "core/machine/available_threads.h"
#include "rpc_runner/machine/cpus.h"
#include "runtime/small_file.h"

namespace hone {

PinnedThread::PinnedThread(const std::vector<int>& cpus) {
  if (cpus.empty() || sched_getaffinity(0, sizeof(before_), &before_) != 0) return;
  pinned_ = BindTo(cpus);
}

PinnedThread::~PinnedThread() {
  if (pinned_) (void)sched_setaffinity(0, sizeof(before_), &before_);
}

std::vector<CoreGroup> CoreGroups(const std::vector<int>& allowed) {
  const std::string cpuinfo = ReadSmallFile("/proc/cpuinfo").value_or("");
  std::vector<CoreGroup> groups;
  for (auto& [kind, cpus] : CoresByKind(cpuinfo, allowed)) groups.push_back({kind, cpus});
  if (groups.empty()) groups.push_back({"", allowed});
  return groups;
}

void RunOn(const std::vector<int>& cpus, const std::function<void()>& work) {
  const auto pinned = [&] {
    const PinnedThread pin(cpus);
    work();
  };
  AsideOrLater(pinned).get();
}

}  // namespace hone
