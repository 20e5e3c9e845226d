#include <fmt/format.h>

#include <memory>
#include <string>

#include "rpc_runner/health/health_watch.h"
#include "rpc_runner/machine/core_lock.h"
#include "rpc_runner/machine/cpus.h"
#include "rpc_runner/machine/environment.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/process/standard_streams.h"
#include "runtime/small_file.h"
#include "runtime/threads/allowed_cores.h"

namespace hone {
namespace {

// Golden runs block the thread that sends a heartbeat once a second, and a look takes up to three runs.
constexpr int64_t kShortTurnNs = 300'000'000;
constexpr int64_t kRoofsTurnNs = 1'000'000'000;

std::vector<int> WatchedCores(const HealthOptions& options) {
  return options.cores.empty() ? AffinityCpus() : options.cores;
}

// The identity of the system's first CPU at this time; empty while that CPU is offline.
std::string CpuNow() {
  constexpr size_t kFirstCore = 4096;
  const std::string text = ReadSmallFile("/proc/cpuinfo", kFirstCore).value_or("");
  return CpuInfoValue(text, "processor") == "0" ? CpuIdOf(CpuInfoOf(text, 0)) : "";
}

}  // namespace

HealthWatch WatchThisMachine(const HealthOptions& options, const Environment& environment) {
  const std::vector<int> cores = WatchedCores(options);
  const auto kernel = std::make_shared<GoldenKernel>(KernelsFor(environment.features), ParseCaches(environment.caches),
                                                     CoreGroups(cores), MonotonicNs);
  // Everything that may change the device's speed for good.
  const std::string device =
      fmt::format("{} {} {} microcode {} on {} cores {}", kernel->name(), environment.host, environment.cpu_id,
                  environment.microcode, environment.kernel, fmt::join(cores, ","));
  HealthSources sources;
  sources.clock = MonotonicNs;
  // Measurements of other processes during a run would look like a fault of the device.
  const auto lock = std::make_shared<CoreLock>(cores);
  sources.run_golden = [kernel, lock] {
    const CoreTurn turn(*lock, kShortTurnNs);
    return kernel->Run();
  };
  sources.ticks = [cores] { return ReadTicks(cores); };
  sources.machine = CpuNow;
  sources.log = [](const std::string& line) { LogError("hone-runner", line); };
  return HealthWatch(options, kernel->parts(), device, kernel->name(), std::move(sources));
}

std::vector<Roof> RoofsOfThisMachine(const HealthOptions& options, const Environment& environment) {
  return MeasureRoofs(KernelsFor(environment.features), ParseCaches(environment.caches),
                      CoreGroups(WatchedCores(options)), environment.cores);
}

std::string RoofsTextOfThisMachine(const std::vector<int>& cores, const Environment& environment) {
  if (environment.emulated) return "";
  const HealthOptions options{"", cores, {}};
  CoreLock lock(WatchedCores(options));
  const CoreTurn turn(lock, kRoofsTurnNs);
  return RoofsText(RoofsOfThisMachine(options, environment));
}

}  // namespace hone
