#include "runtime/threads/sibling_cpus.h"

#include <algorithm>

#include "core/text/parse_number.h"
#include "runtime/small_file.h"

namespace hone {

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
