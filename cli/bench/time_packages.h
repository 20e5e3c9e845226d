// Times packages against each other in one process.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/bench/timed_package.h"
#include "cli/inputs.h"

namespace hone {

struct TimePackagesOptions {
  int threads = 0;
  InputOptions inputs;
  int rounds = 10;
  int64_t first_warm_up_ns = 300'000'000;  // of each package, at least, in the first round: clocks rise
  int64_t warm_up_ns = 20'000'000;         // the same of the later ones
  int64_t most_warm_up_ns = 1'000'000'000;
  int64_t min_time_ns = 3'000'000'000;  // summed over a package's runs; not heeded when `runs` is given
  int64_t runs = 0;                     // of each package; 0: by time, and at least 10
  int profiled_runs = 0;                // afterwards, with a clock around each call
  // Told how many rounds are over, from 0 on.
  std::function<void(int round)> progress = [](int) {};
};

// A sample is the time of so many runs of its package, one behind the other, that there are at most about 10,000 of
// them: of less, reading clocks and judging samples would take longer than the runs. Given what one run of each package
// takes: by time those less than eight times as fast as the slowest have as many runs in a sample as it, and the
// samples of others last as long; with `runs` all have equally many. 1 for whatever is slow enough.
std::vector<int64_t> RunsPerSample(const std::vector<int64_t>& run_ns, const TimePackagesOptions& options);

// How many of `runs` runs round i of `rounds` has: as even as can be.
int64_t RunsOfRound(int64_t runs, int round, int rounds);

// In each round the packages are loaded in another order, warm up, and then take turns, sample by sample, so that what
// disturbs the machine disturbs them alike. With fewer `runs` than rounds there are as many rounds as runs. Results in
// the order of the paths. Throws Error as Package::Load does.
std::vector<TimedPackage> TimePackages(const std::vector<std::string>& paths, const TimePackagesOptions& options);

}  // namespace hone
