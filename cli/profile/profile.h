// Where a package's time goes, call by call.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/inputs.h"
#include "cli/profile/hardware_counters.h"
#include "core/serialize.h"
#include "rpc_runner/health/roofs.h"
#include "runtime/package.h"
#include "runtime/session.h"

namespace hone {

struct ProfileOptions {
  int threads = 0;  // 0: the cores that affinity and the cgroup allow
  int runs = 50;
  InputOptions inputs;
  bool roofs = true;     // measure what the machine can do at most
  bool workers = false;  // with clocks around each worker's share too
};

struct ProfiledCall {
  size_t call = 0;            // of the plan
  std::string node;           // the first of the model's nodes that it computes; else its op
  int64_t ns = 0;             // the median over the runs
  double share = 0;           // of all calls' medians
  double flops = 0;           // of the direct algorithm: Winograd does fewer
  int64_t bytes = 0;          // of its operands, each met once
  double of_roof = 0;         // what the roofs allow, over its time; 0 when they are not known
  bool memory_bound = false;  // whether the roof of memory is the nearer one
};

// One run's calls: their times in ns, one behind the other.
struct ProfiledRun {
  int64_t begin_ns = 0;  // since the first run's
  std::vector<int64_t> call_ns;
  // Where workers were asked for: when each call began, and what each worker did, since the first run's beginning.
  std::vector<int64_t> call_begin_ns;
  std::vector<Session::Trace::Slice> work;
};

struct Profile {
  std::string path;
  std::shared_ptr<const Package> package;
  int threads = 0;
  Roof roof;                        // of these threads together; gflops 0: not measured
  std::vector<ProfiledCall> calls;  // in the plan's order
  std::vector<ProfiledRun> runs;
  HardwareCounts counts;  // of all runs
};

// Loads, warms up until times are steady, and runs with a clock around each call. Throws Error as Package::Load does.
Profile ProfilePackage(const std::string& path, const ProfileOptions& options);

// Of one call: the bytes of the buffers that its operands view, each buffer once.
int64_t BytesOf(const Plan& plan, const PlanCall& call);

// Chrome's trace events, which Perfetto and chrome://tracing show: a track of runs, one of calls, and where workers
// were asked for one of each worker, with a slice for its share of each stage.
Json ChromeTrace(const Profile& profile);
// A line "PACKAGE;OP;NODE NANOSECONDS" per call, for flame graphs.
std::string FoldedStacks(const Profile& profile);
// docs/cli.md.
Json ToJson(const Profile& profile);

}  // namespace hone
