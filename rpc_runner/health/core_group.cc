#include "rpc_runner/health/core_group.h"

#include <sched.h>

#include <exception>
#include <string>
#include <thread>
#include <utility>

#include "rpc_runner/machine/core_kind.h"
#include "runtime/small_file.h"

namespace hone {
namespace {

void PinThisThread(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int cpu : cpus) {
    if (cpu >= 0 && cpu < CPU_SETSIZE) CPU_SET(cpu, &set);
  }
  if (!cpus.empty()) (void)sched_setaffinity(0, sizeof(set), &set);
}

}  // namespace

std::vector<CoreGroup> CoreGroups(const std::vector<int>& allowed) {
  const std::string cpuinfo = ReadSmallFile("/proc/cpuinfo").value_or("");
  std::vector<CoreGroup> groups;
  for (auto& [kind, cpus] : CoresByKind(cpuinfo, allowed)) groups.push_back({kind, cpus});
  if (groups.empty()) groups.push_back({"", allowed});
  return groups;
}

void RunOn(const std::vector<int>& cpus, const std::function<void()>& work) {
  std::exception_ptr thrown;
  std::thread([&] {
    PinThisThread(cpus);
    try {
      work();
    } catch (...) {
      thrown = std::current_exception();
    }
  }).join();
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace hone
