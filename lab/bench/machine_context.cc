#include "lab/bench/machine_context.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include "rpc_runner/machine/sensors.h"

namespace hone {
namespace {

constexpr std::chrono::milliseconds kLookAtOthers(200);

std::string Line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// "48K", "1M" or "512" in bytes.
int64_t SizeOf(const std::string& text) {
  char* unit = nullptr;
  const int64_t number = std::strtoll(text.c_str(), &unit, 10);
  return *unit == 'K' ? number << 10 : *unit == 'M' ? number << 20 : *unit == 'G' ? number << 30 : number;
}

// Number of bits set in a mask as sysfs writes it, "00000000,0000000f".
int BitsOf(const std::string& mask) {
  int bits = 0;
  for (const char digit : mask) {
    if (digit != ',')
      bits += __builtin_popcount(static_cast<unsigned>(std::strtoul(std::string(1, digit).c_str(), nullptr, 16)));
  }
  return bits;
}

std::vector<CacheContext> Caches() {
  std::vector<CacheContext> caches;
  for (int i = 0; i < 8; ++i) {
    const std::string folder = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/", i);
    const std::string size = Line(folder + "size");
    if (size.empty()) break;
    caches.push_back({Line(folder + "type"), std::atoi(Line(folder + "level").c_str()), SizeOf(size),
                      std::max(1, BitsOf(Line(folder + "shared_cpu_map")))});
  }
  return caches;
}

// The value of "name : value" or NAME="value" in a file.
std::string ValueIn(const std::string& path, const std::string& name, char between) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(name, 0) != 0) continue;
    std::string value = line.substr(line.find(between) + 1);
    value.erase(0, value.find_first_not_of(" \t\""));
    value.erase(value.find_last_not_of(" \t\"") + 1);
    return value;
  }
  return "";
}

int Sockets() {
  std::ifstream file("/proc/cpuinfo");
  std::set<std::string> packages;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("physical id", 0) == 0) packages.insert(line);
  }
  return static_cast<int>(packages.size());
}

std::string DateNow() { return fmt::format("{:%Y-%m-%dT%H:%M:%S}+00:00", fmt::gmtime(std::time(nullptr))); }

std::optional<bool> ScalingOf(const Environment& environment) {
  if (environment.governor.empty()) return std::nullopt;
  return environment.governor != "performance";
}

}  // namespace

MachineContext ProbeContext(const Environment& environment) {
  MachineContext context;
  context.date = DateNow();
  context.operating_system = ValueIn("/etc/os-release", "PRETTY_NAME", '=');
  context.cpus = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  context.sockets = Sockets();
  context.mhz = environment.mhz > 0 ? environment.mhz : std::atoi(ValueIn("/proc/cpuinfo", "cpu MHz", ':').c_str());
  context.memory_bytes = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  context.scaling = ScalingOf(environment);
  const std::string aslr = Line("/proc/sys/kernel/randomize_va_space");
  if (!aslr.empty()) context.aslr = aslr != "0";
  context.caches = Caches();
  double load[3] = {0};
  const int known = getloadavg(load, 3);
  context.load.assign(load, load + std::max(known, 0));
  return context;
}

MachineContext ContextOf(const Environment& environment) {
  MachineContext context;
  context.date = DateNow();
  context.cpus = environment.cores;
  context.mhz = environment.mhz;
  context.scaling = ScalingOf(environment);
  std::istringstream sizes(environment.caches);
  for (std::string size; std::getline(sizes, size, ',');) {
    const int level = static_cast<int>(context.caches.size()) + 1;
    context.caches.push_back({level == 1 ? "Data" : "Unified", level, SizeOf(size), 1});
  }
  context.load = {environment.load};
  return context;
}

double BusyCpusNow() {
  const CpuTicks before = ReadTicks({});
  std::this_thread::sleep_for(kLookAtOthers);
  return BusyCpus(before, ReadTicks({}), static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
}

}  // namespace hone
