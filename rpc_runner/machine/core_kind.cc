#include "rpc_runner/machine/core_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/error.h"
#include "core/machine/core_list.h"
#include "core/machine/llvm_cpu_name.h"
#include "core/text/parse_number.h"
#include "rpc_runner/machine/cpu_features.h"
#include "runtime/small_file.h"

namespace hone {
namespace {

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

KindOfCpu HybridKinds(const std::string& devices) {
  KindOfCpu kinds;
  for (const char* kind : {"atom", "core"}) {
    const std::string list = FirstLineOf(fmt::format("{}/cpu_{}/cpus", devices, kind));
    try {
      for (int cpu : ParseCoreList(list)) kinds[cpu] = kind;
    } catch (const Error&) {
      return {};  // a missing list means an unknown kind
    }
  }
  return kinds;
}

}  // namespace

std::string_view CpuInfoOf(std::string_view cpuinfo, int cpu) {
  for (std::string_view part : Parts(cpuinfo)) {
    if (NumberOf(part) == cpu) return part;
  }
  return cpuinfo;
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

}  // namespace hone
