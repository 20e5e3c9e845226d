#include "rpc_runner/machine/energy.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "core/text/parse_number.h"
#include "runtime/small_file.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

std::optional<int64_t> NumberIn(const fs::path& path) { return ParseInteger(FirstLineOf(path.string())); }

// Folders of counters without overlap. intel-rapl:0 is a package, and intel-rapl:0:1 a part of it; only a memory part
// is not included in the package's count. AMD uses the same names. The platform counter (psys) includes the packages.
std::vector<std::pair<fs::path, std::string>> Counters(const fs::path& powercap) {
  std::vector<std::pair<fs::path, std::string>> counters;
  std::error_code ignored;
  for (auto it = fs::directory_iterator(powercap, ignored); it != fs::directory_iterator(); it.increment(ignored)) {
    const std::string folder = it->path().filename().string(), name = FirstLineOf((it->path() / "name").string());
    if (!folder.starts_with("intel-rapl:")) continue;
    const size_t part = folder.find(':', std::string("intel-rapl:").size());
    if (part == std::string::npos && name.starts_with("package")) counters.emplace_back(it->path(), name);
    if (part != std::string::npos && name == "dram") {
      counters.emplace_back(it->path(), FirstLineOf((powercap / folder.substr(0, part) / "name").string()) + " dram");
    }
  }
  std::sort(counters.begin(), counters.end());
  return counters;
}

}  // namespace

EnergyCounter::EnergyCounter(const std::string& root) {
  const fs::path powercap = fs::path(root) / "class" / "powercap";
  const auto counters = Counters(powercap);
  for (const auto& [folder, name] : counters) {
    const std::optional<int64_t> now_uj = NumberIn(folder / "energy_uj");
    if (!now_uj) continue;
    domains_.push_back(
        {(folder / "energy_uj").string(), NumberIn(folder / "max_energy_range_uj").value_or(0), *now_uj});
    names_.push_back(name);
  }
  if (!domains_.empty()) return;
  why_not_ = counters.empty() ? fmt::format("the system has no RAPL counters in {}", powercap.string())
                              : fmt::format("{} may be read by root alone", (counters[0].first / "energy_uj").string());
}

double EnergyCounter::Joules() {
  for (Domain& domain : domains_) {
    const std::optional<int64_t> now_uj = NumberIn(domain.file);
    if (!now_uj) continue;
    const int64_t spent_uj = *now_uj - domain.last_uj;
    total_uj_ += spent_uj >= 0 ? spent_uj : std::max<int64_t>(0, spent_uj + domain.range_uj);
    domain.last_uj = *now_uj;
  }
  return static_cast<double>(total_uj_) / 1e6;
}

}  // namespace hone
