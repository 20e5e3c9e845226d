#include "rpc_runner/machine/cpu_features.h"

#include <set>

#include "core/machine/cpu_feature_table.h"
#include "core/text/parse_number.h"
#include "core/text/words.h"
#include "runtime/host_cpu.h"

namespace hone {
namespace {

std::string Join(const std::set<std::string_view>& names) {
  std::string text;
  for (std::string_view name : names) {
    if (!text.empty()) text += ' ';
    text += name;
  }
  return text;
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

std::string FeaturesFromFlags(std::string_view flags) {
  std::set<std::string_view> found;
  for (const std::string_view word : Words(flags)) {
    for (const CpuFeature& feature : CpuFeatureTable()) {
      if (feature.architecture == "x86_64" && feature.linux_name == word) found.insert(feature.name);
    }
  }
  return Join(found);
}

std::string CpuFeatures(std::string_view cpuinfo) {
  if (HostArchitecture() == "x86_64") return FeaturesFromFlags(CpuInfoValue(cpuinfo, "flags"));
  std::set<std::string_view> found;
  for (const CpuFeature& feature : CpuFeatureTable()) {
    if (!feature.linux_name.empty() && HostHasFeature(feature.name)) found.insert(feature.name);
  }
  return Join(found);
}

}  // namespace hone
