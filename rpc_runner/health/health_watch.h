// Watches the runner's own device: decides when to run the golden kernel, and lets HealthJudge judge the times.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/json/serialize.h"
#include "core/measurement.h"
#include "rpc_runner/health/golden_kernel.h"
#include "rpc_runner/health/health_judge.h"
#include "rpc_runner/health/roofs.h"
#include "rpc_runner/machine/sensors.h"

namespace hone {

struct HealthOptions {
  std::string folder;      // for the history's file; empty: nothing is stored
  std::vector<int> cores;  // CPUs that the runner times on; empty: all allowed ones
  HealthRules rules;
};

// Its connections to the system; tests provide others.
struct HealthSources {
  std::function<int64_t()> clock;                    // the time in ns; never decreases
  std::function<std::vector<int64_t>()> run_golden;  // GoldenKernel::Run
  std::function<CpuTicks()> ticks;                   // ReadTicks
  // The machine's identity, which must stay the same; empty if unknown at the moment.
  std::function<std::string()> machine;
  std::function<void(const std::string&)> log;  // takes a line to print
};

// Not thread-safe.
class HealthWatch {
 public:
  // `device`: all that the golden times depend on, the golden kernel's name first. The constructor does the first runs,
  // so that the device can be compared with others at once.
  HealthWatch(const HealthOptions& options, std::vector<GoldenPart> parts, const std::string& device,
              std::string golden_kernel, HealthSources sources);

  // Whether the golden kernel should run as soon as no job is running.
  bool IsDue() const;
  // Call it when a lease begins or ends: a run is due, unless one was just done.
  void RequestCheck();
  // Runs the golden kernel, and up to twice more if that may clear a doubt. One run takes 5 to 30 ms.
  void RunCheck();
  // Whether this is still the machine on which the runner began; a migrated guest is not. If not, the device is
  // quarantined for good. Called for each result.
  bool IsSameMachine();

  bool may_be_offered() const { return judge_.may_be_offered(); }
  HealthState state() const { return judge_.state(); }
  // Why the device is in doubt; empty if it is not.
  const std::string& why() const { return judge_.why(); }
  // A text that changes whenever a tracker should be informed.
  const std::string& summary() const { return summary_; }
  // Adds golden time and doubts to a job's measurement or to what the runner says of itself. A measurement of a device
  // in doubt is marked noisy.
  void Stamp(Environment* environment) const;
  void Stamp(Measurement* measurement) const;
  // {"state", "why", "tells"}, as docs/reference/protocol.md's `health`.
  Json ToJson() const;
  int64_t spent_ns() const { return spent_ns_; }  // in all golden runs

 private:
  std::vector<int64_t> MeasureTimes();
  void UpdateSummary();
  void Save();

  const std::string device_, golden_kernel_;
  const HealthSources sources_;
  std::string path_;  // empty: the history is not saved
  HealthJudge judge_;
  std::string machine_;
  CpuTicks ticks_;
  int64_t last_ns_ = 0, saved_ns_ = 0, spent_ns_ = 0;
  bool check_requested_ = false;
  size_t saved_size_ = 0;
  std::string summary_;
};

// The watch of this machine, which `environment` describes. Throws Error(kIo) if there is no memory to measure with.
HealthWatch WatchThisMachine(const HealthOptions& options, const Environment& environment);
// This machine's rooflines over the cores that `options` names.
std::vector<Roof> RoofsOfThisMachine(const HealthOptions& options, const Environment& environment);
// Environment::roofs of this machine over these CPUs, empty for all allowed ones. Takes about 0.1 s, and up to a second
// more while other programs of hone use the cores. Empty under an emulator, whose arithmetic says nothing of the
// machine.
std::string RoofsTextOfThisMachine(const std::vector<int>& cores, const Environment& environment);

// The functions by which a runner measures its device; tests replace them.
struct DeviceProbes {
  std::function<HealthWatch(const HealthOptions&, const Environment&)> watch = WatchThisMachine;
  std::function<std::vector<Roof>(const HealthOptions&, const Environment&)> roofs = RoofsOfThisMachine;
};

}  // namespace hone
