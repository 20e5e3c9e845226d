// Times a package call by call, with the CPU's hardware counters.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/json/serialize.h"
#include "lab/model/extents.h"
#include "lab/model/inputs.h"
#include "rpc_runner/health/roofs.h"
#include "runtime/package.h"
#include "runtime/session.h"

namespace hone {

// The CPU's hardware counters while a program runs, if the kernel permits.

// Counts of all threads; 0 if a counter was not available.
struct HardwareCounts {
  int64_t cycles = 0, instructions = 0, cache_misses = 0, branch_misses = 0;
  std::string why_not;  // reason if none was available; else empty
  bool any() const { return why_not.empty(); }
};

// Linux's perf_event, for this process in user mode, including threads that are made after it. Never fails.
class HardwareCounters {
 public:
  HardwareCounters();
  ~HardwareCounters();
  HardwareCounters(const HardwareCounters&) = delete;
  HardwareCounters& operator=(const HardwareCounters&) = delete;

  void Begin();
  // The counts since Begin.
  HardwareCounts End();

 private:
  std::vector<int> files_;  // one per counter; -1: not available
  std::string why_not_;
};

struct ProfileOptions {
  int threads = 0;  // 0: the cores that affinity and the cgroup allow
  int runs = 50;
  InputOptions inputs;
  bool roofs = true;     // measure the machine's peak rates
  bool workers = false;  // also time each worker's share
};

struct ProfiledCall {
  size_t call = 0;            // index in the plan
  int kernel = 0;             // of the plan, which the call ran
  std::string node;           // first of the model's nodes that it computes; else its op
  int64_t ns = 0;             // median over the runs
  double share = 0;           // share of all calls' medians
  double flops = 0;           // by the direct algorithm: Winograd does fewer
  int64_t bytes = 0;          // of its operands, each counted once
  double of_roof = 0;         // time at the nearer roof over its time; 0 if the roofs are unknown
  bool memory_bound = false;  // whether the memory roof is the nearer one
};

// One run's calls: their consecutive times in ns.
struct ProfiledRun {
  int64_t begin_ns = 0;  // since the first run's begin
  std::vector<int64_t> call_ns;
  // If workers were asked for: when each call began, and each worker's slices, since the first run's beginning.
  std::vector<int64_t> call_begin_ns;
  std::vector<Session::Trace::Slice> work;
};

struct Profile {
  std::string path;
  std::shared_ptr<const Package> package;
  int threads = 0;
  Extents extents = {};             // of the package's free dimensions
  Roof roof;                        // of these threads together; gflops 0: not measured
  std::vector<ProfiledCall> calls;  // in the plan's order
  std::vector<ProfiledRun> runs;
  HardwareCounts counts;  // over all runs
};

// Loads, warms up until times are steady, and runs with a clock around each call. Throws Error as Package::Load does.
Profile ProfilePackage(const std::string& path, const ProfileOptions& options);

// Bytes of the buffers that one call's operands view, each buffer once.
int64_t BytesOf(const Plan& plan, const PlanCall& call);

// Chrome's trace events, for Perfetto and chrome://tracing: a track of runs and one of calls. If workers were asked
// for, each has a track with a slice for its share of each stage.
Json ChromeTrace(const Profile& profile);
// A line "PACKAGE;OP;NODE NANOSECONDS" per call, for flame graphs.
std::string FoldedStacks(const Profile& profile);
// JSON as in docs/reference/cli.md.
Json ToJson(const Profile& profile);

}  // namespace hone
