// A runner's eye on its own device: when to run the golden kernel, and what that says. Decides by HealthJudge.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/measurement.h"
#include "core/serialize.h"
#include "rpc_runner/health/golden_kernel.h"
#include "rpc_runner/health/health_judge.h"
#include "rpc_runner/health/roofs.h"
#include "rpc_runner/machine/steal.h"

namespace hone {

struct HealthOptions {
  std::string folder;      // of the history's file; empty: nothing is remembered
  std::vector<int> cores;  // CPUs that the runner times on; empty: all allowed
  HealthRules rules;
};

// What it needs of the outside; a test gives another.
struct HealthSources {
  std::function<int64_t()> clock;                    // when it is: ns that never fall
  std::function<std::vector<int64_t>()> run_golden;  // GoldenKernel::Run
  std::function<CpuTicks()> ticks;                   // ReadTicks
  std::function<std::string()> machine;              // must stay while the runner lives; empty: not told now
  std::function<void(const std::string&)> complain;  // takes a line for people
};

// Not thread-safe.
class HealthWatch {
 public:
  // `device`: all that the golden times depend on, the golden kernel's name first. Takes the first runs, so that the
  // device can be compared with others at once.
  HealthWatch(const HealthOptions& options, std::vector<GoldenPart> parts, const std::string& device,
              std::string golden_kernel, HealthSources sources);

  // Whether the golden kernel should run as soon as no job is under way.
  bool IsDue() const;
  // A lease begins or ends: a run is due, unless one was just now.
  void Ask();
  // Runs the golden kernel, once more where that may clear a doubt: 5 to 30 ms.
  void Look();
  // Whether the machine is the one on which the runner began, as a guest that was moved is not; else it is quarantined
  // for good. Asked of each result.
  bool IsSameMachine();

  bool may_be_offered() const { return judge_.may_be_offered(); }
  HealthState state() const { return judge_.state(); }
  // What speaks against the device; empty: nothing.
  const std::string& why() const { return judge_.why(); }
  // What changes when a tracker should be told.
  const std::string& summary() const { return summary_; }
  // Golden time and doubts, into what a job measured or what the runner says of itself. A measurement of a device in
  // doubt is noisy.
  void Stamp(Environment* environment) const;
  void Stamp(Measurement* measurement) const;
  // {"state", "why", "tells"}, as docs/protocol.md's `health`.
  Json ToJson() const;
  int64_t spent_ns() const { return spent_ns_; }  // in all runs

 private:
  std::vector<int64_t> Times();
  void Tell();
  void Save();

  const std::string device_, golden_kernel_;
  const HealthSources sources_;
  std::string path_;  // empty: not saved
  HealthJudge judge_;
  std::string machine_;
  CpuTicks ticks_;
  int64_t last_ns_ = 0, saved_ns_ = 0, spent_ns_ = 0;
  bool asked_ = false;
  size_t saved_size_ = 0;
  std::string summary_;
};

// The watch of this machine; `environment` says what it is. Throws Error(kIo) when there is no memory to measure with.
HealthWatch WatchThisMachine(const HealthOptions& options, const Environment& environment);
// Its roofs, over the cores that `options` names.
std::vector<Roof> RoofsOfThisMachine(const HealthOptions& options, const Environment& environment);
// Environment::roofs of this machine over these CPUs, empty for all allowed; about 0.1 s, and up to a second more until
// other programs of hone let the cores go. Empty under an emulator, whose arithmetic says nothing of the machine.
std::string RoofsTextOfThisMachine(const std::vector<int>& cores, const Environment& environment);

// What a runner knows of its device by: of this machine. A test gives another one's.
struct DeviceSenses {
  std::function<HealthWatch(const HealthOptions&, const Environment&)> watch = WatchThisMachine;
  std::function<std::vector<Roof>(const HealthOptions&, const Environment&)> roofs = RoofsOfThisMachine;
};

}  // namespace hone
