#include "rpc_runner/machine/steal.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace hone {
namespace {

constexpr int kSteal = 7, kFields = 8;  // user nice system idle iowait irq softirq steal; guest is in user already

}  // namespace

CpuTicks TicksOf(std::string_view stat, const std::vector<int>& cpus) {
  const auto is_ours = [&](const std::string& name) {
    if (cpus.empty()) return name == "cpu";
    return std::any_of(cpus.begin(), cpus.end(), [&](int cpu) { return name == fmt::format("cpu{}", cpu); });
  };
  CpuTicks ticks;
  std::istringstream lines{std::string(stat)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    if (!(words >> name) || !is_ours(name)) continue;
    int64_t value = 0;
    for (int field = 0; field < kFields && words >> value; ++field) {
      ticks.all += value;
      if (field == kSteal) ticks.steal += value;
    }
  }
  return ticks;
}

CpuTicks ReadTicks(const std::vector<int>& cpus) {
  std::ostringstream text;
  text << std::ifstream("/proc/stat").rdbuf();
  return TicksOf(text.str(), cpus);
}

double StealShare(const CpuTicks& before, const CpuTicks& after) {
  const int64_t all = after.all - before.all;
  return all <= 0 ? 0
                  : std::clamp(static_cast<double>(after.steal - before.steal) / static_cast<double>(all), 0.0, 1.0);
}

}  // namespace hone
