// Builds models for the machines behind a tracker and times them there.
#pragma once

#include <string>
#include <vector>

#include "lab/comparison/bench_results.h"
#include "lab/comparison/compare_records.h"
#include "lab/records/records.h"
#include "rpc_runner/runner.h"

namespace hone {

struct MeasureOptions {
  RemoteRunnerOptions remote;           // key and max_runners are set here
  std::vector<std::string> keys;        // one runner of each; no key twice
  int threads = 0;                      // 0: each machine's cores
  BuildContext context;                 // without target and threads, which each machine has
  RecordOptions records;                // source of configurations, as in any build
  int64_t min_time_ns = 1'000'000'000;  // of runs of each package, and at least 10 runs
  bool ported = false;                  // also time each machine's packages on every other one
};

// A package built for one machine and timed on another, which uses its own number of threads.
struct PortedPackage {
  size_t model = 0, whose = 0, on = 0;  // `whose` and `on` are machines, as indices into `keys`
  ComparedTime time;                    // median and its 95 % confidence interval; ns 0: it does not run there
  std::string why_not;                  // one line, if it does not run
};

struct MeasuredPackages {
  std::vector<PackageTimes> own;      // each machine's models, in the order of `keys`
  std::vector<PortedPackage> ported;  // each model of each pair of machines, if asked for
};

// Builds for each machine with its own target, threads and records; packages on one machine take turns. A row is a
// runner. Roofs are those that the machine reported to its tracker. Inputs and float parameters are random numbers.
//
// With `ported` all runners are leased at once. Each then also times the packages built for every other one, unless
// their code cannot run there.
//
// Throws Error: kNoRunner as MakeRemoteRunner; kBadConfig for threads that a machine lacks; kAnswerIsNo if a machine's
// own package fails there.
MeasuredPackages MeasurePackages(const std::vector<ModelToCompare>& models, const MeasureOptions& options);

}  // namespace hone
