#include "rpc_runner/machine/sensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>

#include "core/text/parse_number.h"
#include "runtime/small_file.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

std::optional<int64_t> NumberIn(const fs::path& path) { return ParseInteger(FirstLineOf(path.string())); }

std::vector<fs::path> EntriesOf(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code ignored;
  for (auto it = fs::directory_iterator(folder, ignored); it != fs::directory_iterator(); it.increment(ignored)) {
    entries.push_back(it->path());
  }
  return entries;
}

// Matches thermal_zone0/temp and hwmon0/temp1_input.
bool IsTemperature(const fs::path& path) {
  const std::string name = path.filename().string();
  return name == "temp" || (name.starts_with("temp") && name.ends_with("_input"));
}

constexpr size_t kIdle = 3, kIoWait = 4, kSteal = 7,
                 kFields = 8;  // user nice system idle iowait irq softirq steal; guest is in user already

// Folders of counters without overlap. intel-rapl:0 is a package, and intel-rapl:0:1 a part of it; only a memory part
// is not included in the package's count. AMD uses the same names. The platform counter (psys) includes the packages.
std::vector<std::pair<fs::path, std::string>> Counters(const fs::path& powercap) {
  std::vector<std::pair<fs::path, std::string>> counters;
  for (const fs::path& path : EntriesOf(powercap)) {
    const std::string folder = path.filename().string(), name = FirstLineOf((path / "name").string());
    if (!folder.starts_with("intel-rapl:")) continue;
    const size_t part = folder.find(':', std::string("intel-rapl:").size());
    if (part == std::string::npos && name.starts_with("package")) counters.emplace_back(path, name);
    if (part != std::string::npos && name == "dram") {
      counters.emplace_back(path, FirstLineOf((powercap / folder.substr(0, part) / "name").string()) + " dram");
    }
  }
  std::sort(counters.begin(), counters.end());
  return counters;
}

}  // namespace

int ClockMhz(const std::vector<int>& cpus, const std::string& root) {
  int64_t khz = 0;
  for (int cpu : cpus) {
    const std::string path = fmt::format("{}/devices/system/cpu/cpu{}/cpufreq/scaling_cur_freq", root, cpu);
    khz = std::max(khz, NumberIn(path).value_or(0));
  }
  return static_cast<int>(std::min<int64_t>(khz / 1000, 1'000'000));
}

double HottestCelsius(const std::string& root) {
  constexpr int64_t kLeast = -50'000, kMost = 200'000;
  std::optional<int64_t> hottest;
  for (const char* of : {"/class/thermal", "/class/hwmon"}) {
    for (const fs::path& device : EntriesOf(root + of)) {
      for (const fs::path& sensor : EntriesOf(device)) {
        if (!IsTemperature(sensor)) continue;
        const std::optional<int64_t> thousandths = NumberIn(sensor);
        if (!thousandths || *thousandths < kLeast || *thousandths > kMost) continue;
        hottest = std::max(hottest.value_or(kLeast), *thousandths);
      }
    }
  }
  return static_cast<double>(hottest.value_or(0)) / 1000;
}

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
      if (field == kIdle || field == kIoWait) ticks.idle += value;
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

double BusyCpus(const CpuTicks& before, const CpuTicks& after, int cpus) {
  const int64_t all = after.all - before.all;
  if (all <= 0) return 0;
  const int64_t busy = all - (after.idle - before.idle) - (after.steal - before.steal);
  return cpus * std::clamp(static_cast<double>(busy) / static_cast<double>(all), 0.0, 1.0);
}

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
