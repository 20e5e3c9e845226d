#include "rpc_runner/machine/steal.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/text/parse_number.h"
#include "core/text/words.h"
#include "runtime/small_file.h"

namespace hone {
namespace {

constexpr size_t kSteal = 7, kFields = 8;  // user nice system idle iowait irq softirq steal; guest is in user already

}  // namespace

CpuTicks TicksOf(std::string_view stat, const std::vector<int>& cpus) {
  const auto is_ours = [&](std::string_view name) {
    if (cpus.empty()) return name == "cpu";
    return std::any_of(cpus.begin(), cpus.end(), [&](int cpu) { return name == fmt::format("cpu{}", cpu); });
  };
  CpuTicks ticks;
  for (const std::string_view line : Split(stat, '\n')) {
    const std::vector<std::string_view> words = Words(line);
    if (words.empty() || !is_ours(words[0])) continue;
    for (size_t field = 0; field < kFields && field + 1 < words.size(); ++field) {
      const int64_t value = ParseInteger(words[field + 1]).value_or(0);
      ticks.all += value;
      if (field == kSteal) ticks.steal += value;
    }
  }
  return ticks;
}

CpuTicks ReadTicks(const std::vector<int>& cpus) { return TicksOf(ReadSmallFile("/proc/stat").value_or(""), cpus); }

double StealShare(const CpuTicks& before, const CpuTicks& after) {
  const int64_t all = after.all - before.all;
  return all <= 0 ? 0
                  : std::clamp(static_cast<double>(after.steal - before.steal) / static_cast<double>(all), 0.0, 1.0);
}

}  // namespace hone
