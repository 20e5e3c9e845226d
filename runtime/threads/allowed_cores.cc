#include "runtime/threads/allowed_cores.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>

#include "core/text/parse_number.h"
#include "runtime/session.h"
#include "runtime/small_file.h"

namespace hone {

namespace {

std::string ReadText(const std::string& path) { return ReadSmallFile(path).value_or(""); }

// The number of cores in "QUOTA PERIOD"; 0 for "max", -1 or anything else.
double QuotaOf(const std::string& text) {
  double quota = 0, period = 0;
  if (std::sscanf(text.c_str(), "%lf %lf", &quota, &period) != 2 || quota <= 0 || period <= 0) return 0;
  return quota / period;
}

double QuotaOfGroup(const std::string& folder, bool version2) {
  if (version2) return QuotaOf(ReadText(folder + "/cpu.max"));
  return QuotaOf(ReadText(folder + "/cpu.cfs_quota_us") + " " + ReadText(folder + "/cpu.cfs_period_us"));
}

// The least value above 0 that `read` returns for the group and its ancestors; 0 if there is none.
double LeastUpwards(const std::string& mount, std::string group,
                    const std::function<double(const std::string&)>& read) {
  double least = 0;
  while (true) {
    const double value = read(mount + group);
    if (value > 0 && (least == 0 || value < least)) least = value;
    if (group.empty()) return least;
    const size_t slash = group.rfind('/');
    group.resize(slash == std::string::npos ? 0 : slash);
  }
}

bool NamesController(const std::string& controllers, const std::string& controller) {
  return ("," + controllers + ",").find("," + controller + ",") != std::string::npos;
}

}  // namespace

std::vector<int> AffinityCpus() {
  // On machines with more CPUs than a cpu_set_t holds, the call fails with EINVAL until the mask is large enough.
  for (int bits = CPU_SETSIZE; bits <= (1 << 20); bits *= 2) {
    cpu_set_t* set = CPU_ALLOC(static_cast<size_t>(bits));
    if (set == nullptr) return {};
    const size_t size = CPU_ALLOC_SIZE(static_cast<size_t>(bits));
    std::vector<int> cpus;
    const bool done = sched_getaffinity(0, size, set) == 0;
    for (int cpu = 0; done && cpu < bits; ++cpu) {
      if (CPU_ISSET_S(static_cast<size_t>(cpu), size, set)) cpus.push_back(cpu);
    }
    CPU_FREE(set);
    if (done) return cpus;
  }
  return {};
}

std::vector<int> CpusToPin() {
  const std::vector<int> cpus = AffinityCpus();
  // Read only once, because a process that was confined afterwards has no file to read it from.
  static const std::map<int, int> cores = CoresOf(cpus);
  return OneOfEachCoreFirst(cpus, cores);
}

double LeastOfCgroups(const std::string& membership, const std::string& root, const std::string& controller,
                      const std::function<double(const std::string& folder, bool version2)>& read) {
  double least = 0;
  for (size_t begin = 0, end = 0; begin < membership.size(); begin = end + 1) {
    end = std::min(membership.find('\n', begin), membership.size());
    const std::string line = membership.substr(begin, end - begin);  // HIERARCHY:CONTROLLERS:PATH
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    std::string group = line.substr(second + 1);
    if (group == "/") group.clear();
    const bool version2 = controllers.empty();
    if (!version2 && !NamesController(controllers, controller)) continue;
    const std::string mount = version2 ? root : root + "/" + controller;
    const double value = LeastUpwards(mount, group, [&](const std::string& folder) { return read(folder, version2); });
    if (value > 0 && (least == 0 || value < least)) least = value;
  }
  return least;
}

double CgroupQuotaCores(const std::string& membership, const std::string& root) {
  return LeastOfCgroups(membership, root, "cpu", QuotaOfGroup);
}

int AllowedCores() {
  // Read only once, because a process that was confined afterwards has no file to read it from.
  static const double quota = CgroupQuotaCores(ReadText("/proc/self/cgroup"), "/sys/fs/cgroup");
  int cores = std::max(1, static_cast<int>(AffinityCpus().size()));
  if (quota > 0 && quota < cores) cores = std::max(1, static_cast<int>(std::ceil(quota)));
  return cores;
}

int FirstSibling(int cpu, const std::string& root) {
  // "0,64" or "0-1"
  const std::string siblings =
      FirstLineOf(root + "/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list");
  return static_cast<int>(ParseInteger(siblings.substr(0, siblings.find_first_of(",-"))).value_or(cpu));
}

std::map<int, int> CoresOf(const std::vector<int>& cpus, const std::string& root) {
  std::map<int, int> cores;
  for (const int cpu : cpus) cores[cpu] = FirstSibling(cpu, root);
  return cores;
}

std::vector<int> OneOfEachCoreFirst(const std::vector<int>& cpus, const std::map<int, int>& cores) {
  std::map<int, int> before;  // for each core, the number of its CPUs met so far
  std::map<int, int> turn;
  for (const int cpu : cpus) {
    const auto core = cores.find(cpu);
    turn[cpu] = before[core == cores.end() ? cpu : core->second]++;
  }
  std::vector<int> ordered = cpus;
  std::stable_sort(ordered.begin(), ordered.end(), [&](int a, int b) { return turn[a] < turn[b]; });
  return ordered;
}

}  // namespace hone
