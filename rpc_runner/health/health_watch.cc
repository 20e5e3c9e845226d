#include "rpc_runner/health/health_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "rpc_runner/health/golden_history.h"
#include "rpc_runner/machine/core_lock.h"
#include "rpc_runner/machine/cpus.h"
#include "rpc_runner/machine/environment.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/process/standard_streams.h"
#include "runtime/small_file.h"
#include "runtime/threads/allowed_cores.h"

namespace hone {
namespace {

constexpr int kFirstRuns = 8;
constexpr int kRepeats = 2;  // further runs at once after a slow run
// A run this recent serves for the beginning or end of a lease, so that many short leases do not cost more.
constexpr int64_t kJustNowNs = 2'000'000'000;
constexpr int64_t kSaveNs = 60'000'000'000;

std::string PathOf(const HealthOptions& options, const std::string& device) {
  return options.folder.empty() ? "" : HistoryPath(options.folder, device);
}

GoldenHistory Load(const std::string& path, const std::string& device, size_t parts, const HealthSources& sources) {
  std::string problem;
  GoldenHistory history = path.empty() ? GoldenHistory(parts) : LoadHistory(path, device, parts, &problem);
  if (!problem.empty()) sources.log(problem);
  return history;
}

// Golden runs block the thread that sends a heartbeat once a second, and a check takes up to three runs.
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

HealthWatch::HealthWatch(const HealthOptions& options, std::vector<GoldenPart> parts, const std::string& device,
                         std::string golden_kernel, HealthSources sources)
    : device_(device),
      golden_kernel_(std::move(golden_kernel)),
      sources_(std::move(sources)),
      path_(PathOf(options, device)),
      judge_(options.rules, parts, Load(path_, device, parts.size(), sources_)),
      machine_(sources_.machine()),
      ticks_(sources_.ticks()),
      saved_ns_(sources_.clock()),
      saved_size_(judge_.history().size()) {
  const int first = judge_.history().enough() ? 1 : kFirstRuns;
  for (int i = 0; i < first; ++i) RunCheck();
}

bool HealthWatch::IsDue() const {
  const int64_t passed_ns = sources_.clock() - last_ns_;
  return passed_ns >= judge_.spacing_ns() || (check_requested_ && passed_ns >= kJustNowNs);
}

void HealthWatch::RequestCheck() { check_requested_ = true; }

std::vector<int64_t> HealthWatch::MeasureTimes() {
  std::vector<int64_t> times = sources_.run_golden();
  for (int i = 0; i < kRepeats && judge_.IsSlow(times); ++i) {
    const std::vector<int64_t> again = sources_.run_golden();
    for (size_t part = 0; part < times.size(); ++part) times[part] = std::min(times[part], again[part]);
  }
  return times;
}

bool HealthWatch::IsSameMachine() {
  const std::string machine = sources_.machine();
  if (machine.empty() || machine == machine_) return true;
  judge_.QuarantineForGood(
      fmt::format("the machine is \"{}\" now and was \"{}\" when the runner began", machine, machine_));
  UpdateSummary();
  return false;
}

void HealthWatch::RunCheck() {
  const int64_t begin_ns = sources_.clock();
  check_requested_ = false;
  if (IsSameMachine()) {
    const std::vector<int64_t> times = MeasureTimes();
    const CpuTicks ticks = sources_.ticks();
    judge_.AddRun({begin_ns, times, StealShare(std::exchange(ticks_, ticks), ticks)});
  }
  last_ns_ = sources_.clock();
  spent_ns_ += last_ns_ - begin_ns;
  UpdateSummary();
  if (last_ns_ - saved_ns_ >= kSaveNs || (saved_size_ < GoldenHistory::kEnough && judge_.history().enough())) Save();
}

void HealthWatch::UpdateSummary() {
  std::string summary = fmt::format("{} {}", HealthStateName(judge_.state()), judge_.history().enough());
  const bool was_told = summary_.starts_with(HealthStateName(judge_.state()));
  summary_ = std::move(summary);
  if (!was_told && judge_.state() >= HealthState::kQuarantined) {
    sources_.log(fmt::format("{}: {}", HealthStateName(judge_.state()), judge_.why()));
  }
}

void HealthWatch::Save() {
  saved_ns_ = last_ns_;
  saved_size_ = judge_.history().size();
  if (path_.empty()) return;
  if (const std::string problem = SaveHistory(path_, device_, judge_.history()); !problem.empty()) {
    sources_.log(problem);
    path_.clear();
  }
}

void HealthWatch::Stamp(Environment* environment) const {
  environment->golden_kernel = golden_kernel_;
  environment->golden_ns = judge_.history().UsualNs();
  environment->health = judge_.why();
}

void HealthWatch::Stamp(Measurement* measurement) const {
  Stamp(&measurement->environment);
  measurement->noisy = measurement->noisy || !judge_.why().empty();
}

Json HealthWatch::ToJson() const {
  return {{"state", HealthStateName(judge_.state())}, {"why", judge_.why()}, {"tells", judge_.Sensitivity()}};
}

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
