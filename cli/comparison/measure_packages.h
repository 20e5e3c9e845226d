// Builds models for the machines behind a tracker and times them there.
#pragma once

#include <string>
#include <vector>

#include "cli/comparison/compare_packages.h"
#include "cli/comparison/compare_records.h"
#include "cli/record_options.h"
#include "rpc_runner/runner.h"

namespace hone {

struct MeasureOptions {
  RemoteRunnerOptions remote;           // key and max_runners are set here
  std::vector<std::string> keys;        // a runner of each, no key twice
  int threads = 0;                      // 0: each machine's cores
  BuildContext context;                 // but for target and threads, which are each machine's
  RecordOptions records;                // where configurations come from, as in any build
  int64_t min_time_ns = 1'000'000'000;  // of runs of each package, at least 10
  bool ported = false;                  // also time each machine's packages on every other one
};

// What was built for one machine, timed on another one, which runs it on its own threads.
struct PortedPackage {
  size_t model = 0, whose = 0, on = 0;  // the machines as places in `keys`
  ComparedTime time;                    // median and its 95 % interval; ns 0: it does not run there
  std::string why_not;                  // one line, where it does not run
};

struct MeasuredPackages {
  std::vector<PackageTimes> own;      // of each machine the models, in the order of `keys`
  std::vector<PortedPackage> ported;  // of each pair of machines each model, where they were asked for
};

// Each machine with its own target, threads and records; packages on it take turns. A row is a runner. Roofs are those
// that it told its tracker. Inputs and float parameters are random numbers. With `ported` all runners are leased at
// once, and each also times what was built for every other one, unless its code cannot run there. Throws Error:
// kNoRunner as MakeRemoteRunner, kBadConfig for threads that a machine lacks, kAnswerIsNo when a machine's own package
// fails there.
MeasuredPackages MeasurePackages(const std::vector<ModelToCompare>& models, const MeasureOptions& options);

}  // namespace hone
