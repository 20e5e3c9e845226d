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
  std::vector<std::string> keys;        // a runner of each
  int threads = 0;                      // 0: each machine's cores
  BuildContext context;                 // but for target and threads, which are each machine's
  RecordOptions records;                // where configurations come from, as in any build
  int64_t min_time_ns = 1'000'000'000;  // of runs of each package, at least 10
};

// Each machine with its own target, threads and records; its packages take turns. A row is a runner. Roofs are those
// that it told its tracker. Inputs and float parameters are random numbers. Throws Error: kNoRunner as
// MakeRemoteRunner, kBadConfig for threads that a machine lacks, kAnswerIsNo when a package fails there.
std::vector<PackageTimes> MeasurePackages(const std::vector<ModelToCompare>& models, const MeasureOptions& options);

}  // namespace hone
