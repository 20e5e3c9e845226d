#include "rpc_runner/health/core_group.h"

#include <string>
#include <utility>

#include "core/machine/available_threads.h"
#include "rpc_runner/machine/cpus.h"
#include "runtime/small_file.h"

namespace hone {
namespace {

cpu_set_t SetOf(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int cpu : cpus) {
    if (cpu >= 0 && cpu < CPU_SETSIZE) CPU_SET(cpu, &set);
  }
  return set;
}

}  // namespace

PinnedThread::PinnedThread(const std::vector<int>& cpus) {
  if (cpus.empty() || sched_getaffinity(0, sizeof(before_), &before_) != 0) return;
  const cpu_set_t set = SetOf(cpus);
  pinned_ = sched_setaffinity(0, sizeof(set), &set) == 0;
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
