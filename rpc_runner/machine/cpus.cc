#include "rpc_runner/machine/cpus.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/error.h"
#include "core/machine/cpu_feature_table.h"
#include "core/machine/llvm_cpu_name.h"
#include "core/text/parse_number.h"
#include "runtime/host_cpu.h"
#include "runtime/small_file.h"
#include "runtime/threads/allowed_cores.h"

namespace hone {
namespace {

// Favoured cores of one kind differ by less than this.
constexpr double kAlike = 0.9;
constexpr int kMostNodes = 1024;

using KindOfCpu = std::map<int, std::string>;

std::vector<std::string_view> Parts(std::string_view cpuinfo) {
  std::vector<std::string_view> parts;
  while (!cpuinfo.empty()) {
    const size_t end = std::min(cpuinfo.find("\n\n"), cpuinfo.size());
    parts.push_back(cpuinfo.substr(0, end));
    cpuinfo.remove_prefix(std::min(end + 2, cpuinfo.size()));
  }
  return parts;
}

int NumberOf(std::string_view part) {
  return static_cast<int>(ParseInteger(CpuInfoValue(part, "processor")).value_or(-1));
}

KindOfCpu ArmKinds(std::string_view cpuinfo) {
  KindOfCpu kinds;
  for (std::string_view part : Parts(cpuinfo)) {
    Fingerprint core;
    core.vendor = CpuInfoValue(part, "CPU implementer");
    core.model = CpuInfoValue(part, "CPU part");
    if (NumberOf(part) < 0 || !core.known()) continue;
    const std::string name = LlvmCpuName("aarch64", core);
    kinds[NumberOf(part)] = name == "generic" ? core.vendor + "/" + core.model : name;
  }
  return kinds;
}

// Empty if the system has no such list.
std::vector<int> ListIn(const std::string& path) {
  try {
    return ParseCoreList(FirstLineOf(path));
  } catch (const Error&) {
    return {};
  }
}

KindOfCpu HybridKinds(const std::string& devices) {
  KindOfCpu kinds;
  for (const char* kind : {"atom", "core"}) {
    for (int cpu : ListIn(fmt::format("{}/cpu_{}/cpus", devices, kind))) kinds[cpu] = kind;
  }
  return kinds;
}

std::map<int, int> NodesOfCpus(const std::string& root) {
  std::map<int, int> nodes;
  for (const int node : ListIn(root + "/devices/system/node/online")) {
    if (node > kMostNodes) break;
    for (const int cpu : ListIn(fmt::format("{}/devices/system/node/node{}/cpulist", root, node))) nodes[cpu] = node;
  }
  return nodes;
}

// Adds the capacity to the kind of clusters that have equal cores at different clocks.
void NameClusters(std::vector<CpuPlace>& places) {
  std::map<std::string, std::pair<int64_t, int64_t>> range;  // least and greatest capacity of a kind
  for (const CpuPlace& place : places) {
    auto& [least, greatest] = range.try_emplace(place.kind, place.capacity, place.capacity).first->second;
    least = std::min(least, place.capacity);
    greatest = std::max(greatest, place.capacity);
  }
  for (CpuPlace& place : places) {
    const auto& [least, greatest] = range.at(place.kind);
    const bool alike = static_cast<double>(least) >= kAlike * static_cast<double>(greatest);
    if (least > 0 && !alike) place.kind += fmt::format("@{}", place.capacity);
  }
}

}  // namespace

std::string CpuInfoValue(std::string_view cpuinfo, std::string_view name) {
  for (const std::string_view line : Split(cpuinfo, '\n')) {
    const size_t colon = line.find(':');
    if (colon == line.npos || !line.starts_with(name)) continue;
    if (line.find_first_not_of(" \t", name.size()) != colon) continue;
    const size_t begin = line.find_first_not_of(" \t", colon + 1);
    return std::string(begin == line.npos ? "" : line.substr(begin));
  }
  return "";
}

std::string_view CpuInfoOf(std::string_view cpuinfo, int cpu) {
  for (std::string_view part : Parts(cpuinfo)) {
    if (NumberOf(part) == cpu) return part;
  }
  return cpuinfo;
}

std::string FeaturesFromFlags(std::string_view flags) {
  std::set<std::string_view> found;
  for (const std::string_view word : Words(flags)) {
    for (const CpuFeature& feature : CpuFeatureTable()) {
      if (feature.architecture == "x86_64" && feature.linux_name == word) found.insert(feature.name);
    }
  }
  return fmt::format("{}", fmt::join(found, " "));
}

std::string CpuFeatures(std::string_view cpuinfo) {
  if (HostArchitecture() == "x86_64") return FeaturesFromFlags(CpuInfoValue(cpuinfo, "flags"));
  std::set<std::string_view> found;
  for (const CpuFeature& feature : CpuFeatureTable()) {
    if (!feature.linux_name.empty() && HostHasFeature(feature.name)) found.insert(feature.name);
  }
  return fmt::format("{}", fmt::join(found, " "));
}

std::map<std::string, std::vector<int>> CoresByKind(std::string_view cpuinfo, const std::vector<int>& allowed,
                                                    const std::string& devices) {
  KindOfCpu kinds = ArmKinds(cpuinfo);
  kinds.merge(HybridKinds(devices));
  std::set<std::string> all;
  for (const auto& [cpu, kind] : kinds) all.insert(kind);
  std::map<std::string, std::vector<int>> cores;
  for (int cpu : allowed) {
    const auto kind = kinds.find(cpu);
    cores[all.size() > 1 && kind != kinds.end() ? kind->second : ""].push_back(cpu);
  }
  return cores;
}

std::vector<int> OnlineCpus(const std::vector<int>& allowed, const std::string& root) {
  const std::vector<int> online = ListIn(root + "/devices/system/cpu/online");
  return online.empty() ? allowed : online;
}

std::vector<CpuPlace> PlacesOf(const std::vector<int>& cpus, std::string_view cpuinfo, const std::string& root) {
  std::map<int, CpuPlace> all;
  const std::map<int, int> nodes = NodesOfCpus(root);
  // CPUs that were not asked for are included, since clusters are told apart by comparison with them.
  std::vector<int> online = OnlineCpus(cpus, root);
  online.insert(online.end(), cpus.begin(), cpus.end());
  for (const auto& [kind, of_kind] : CoresByKind(cpuinfo, online, root + "/devices")) {
    for (const int cpu : of_kind) {
      const std::string capacity = FirstLineOf(fmt::format("{}/devices/system/cpu/cpu{}/cpu_capacity", root, cpu));
      const auto node = nodes.find(cpu);
      all[cpu] = {cpu, kind, FirstSibling(cpu, root), node == nodes.end() ? 0 : node->second,
                  std::max<int64_t>(0, ParseInteger(capacity).value_or(0))};
    }
  }
  std::vector<CpuPlace> named;
  for (const auto& [cpu, place] : all) named.push_back(place);
  NameClusters(named);
  for (const CpuPlace& place : named) all[place.cpu] = place;
  std::vector<CpuPlace> places;
  for (const int cpu : cpus) places.push_back(all.at(cpu));
  return places;
}

bool BindTo(const std::vector<int>& cpus, pid_t process) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) {
    if (cpu >= 0 && cpu < CPU_SETSIZE) CPU_SET(cpu, &set);
  }
  return sched_setaffinity(process, sizeof(set), &set) == 0;
}

}  // namespace hone
