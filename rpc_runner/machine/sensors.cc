#include "rpc_runner/machine/sensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "core/text/parse_number.h"
#include "runtime/small_file.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

std::optional<int64_t> ReadNumber(const fs::path& path) { return ParseInteger(FirstLineOf(path.string())); }

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

}  // namespace

int ClockMhz(const std::vector<int>& cpus, const std::string& root) {
  int64_t khz = 0;
  for (int cpu : cpus) {
    const std::string path = fmt::format("{}/devices/system/cpu/cpu{}/cpufreq/scaling_cur_freq", root, cpu);
    khz = std::max(khz, ReadNumber(path).value_or(0));
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
        const std::optional<int64_t> thousandths = ReadNumber(sensor);
        if (!thousandths || *thousandths < kLeast || *thousandths > kMost) continue;
        hottest = std::max(hottest.value_or(kLeast), *thousandths);
      }
    }
  }
  return static_cast<double>(hottest.value_or(0)) / 1000;
}

}  // namespace hone
