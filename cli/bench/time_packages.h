// Times packages against each other in one process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/inputs.h"
#include "runtime/session.h"

namespace hone {

struct TimePackagesOptions {
  int threads = 0;
  InputOptions inputs;
  int64_t warm_up_ns = 300'000'000;     // of each package
  int64_t min_time_ns = 3'000'000'000;  // summed over a package's runs; not heeded when `runs` is given
  int64_t runs = 0;                     // of each package; 0: by time, and at least 10
  int profiled_runs = 0;                // afterwards, with a clock around each call
};

// A sample is the time of so many runs of its package, one behind the other, that there are at most about 10,000 of
// them: of less, reading clocks and judging samples would take longer than the runs. Given what one run of each package
// takes; by time the packages' samples last alike, with `runs` they are of equally many. 1 for whatever is slow enough.
std::vector<int64_t> RunsPerSample(const std::vector<int64_t>& run_ns, const TimePackagesOptions& options);

struct TimedPackage {
  std::string path;
  int threads = 0;
  int64_t runs = 0;
  int64_t batch = 1;                // runs in a sample; the last may have fewer
  std::vector<int64_t> samples_ns;  // of one run
  std::vector<int64_t> call_ns;     // the median of each plan call; empty without profiled runs
  std::shared_ptr<const Package> package;
};

// The packages take turns, sample by sample, so that what disturbs the machine disturbs them alike. Results in the
// order of the paths. Throws Error as Package::Load does.
std::vector<TimedPackage> TimePackages(const std::vector<std::string>& paths, const TimePackagesOptions& options);

}  // namespace hone
