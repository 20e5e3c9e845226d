// Times packages on this machine, in turns and in rounds, and measures the energy that their runs cost.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lab/bench/timed_package.h"
#include "lab/model/inputs.h"

namespace hone {

// Takes turns with the packages, or with others of its kind: a runtime in another process.
class OtherRuntime {
 public:
  virtual ~OtherRuntime() = default;
  // Gives back the memory of what LoadAnew loaded.
  virtual void Leave() = 0;
  // Returns false if it failed, now or before: it then takes no turn.
  virtual bool LoadAnew() = 0;
  // Runs it so many times and returns the time of all; 0 if it failed. It then takes no more turns, and its times do
  // not count.
  virtual int64_t RunNs(int64_t runs) = 0;
};

struct TimePackagesOptions {
  int threads = 0;
  InputOptions inputs;
  int rounds = 10;
  int64_t first_warm_up_ns = 300'000'000;  // of each package, at least, in the first round, while clocks rise
  int64_t warm_up_ns = 20'000'000;         // the same in later rounds
  int64_t most_warm_up_ns = 1'000'000'000;
  int64_t min_time_ns = 3'000'000'000;  // summed over a package's runs; ignored if `runs` is given
  int64_t runs = 0;                     // of each package; 0: by time, and at least 10
  int profiled_runs = 0;                // afterwards, with a clock around each call
  std::vector<OtherRuntime*> others;    // their times follow those of the packages, without a package
  // Asked when all rounds are over, with their times: whether to take as many once more. There are at most
  // kMostBenchRounds. Absent: never.
  std::function<bool(const std::vector<TimedPackage>&)> goes_on;
  // Called with the number of finished rounds, from 0 on.
  std::function<void(int round)> progress = [](int) {};
};

// Number of consecutive runs in each package's sample, given the time of one run of each. It keeps samples at about
// 10,000 or fewer, because with shorter ones reading clocks and judging samples would take longer than the runs. By
// time, packages less than eight times as fast as the slowest get as many runs per sample as it. Faster ones get
// samples of the same duration. A sample of a runtime in another process takes at least 2 ms. With `runs` all get
// equally many. 1 for packages that are slow enough.
std::vector<int64_t> RunsPerSample(const std::vector<int64_t>& run_ns, const TimePackagesOptions& options);

// Number of the `runs` runs that round i of `rounds` gets, as even as possible.
int64_t RunsOfRound(int64_t runs, int round, int rounds);

// In each round the packages are loaded in another order, and the others as StartOrder says, after all of them have
// left. They warm up, and then take turns sample by sample. So disturbances of the machine affect them alike. With
// fewer `runs` than rounds there are as many rounds as runs. Results are in the order of the paths. Throws Error as
// Package::Load does.
std::vector<TimedPackage> TimePackages(const std::vector<std::string>& paths, const TimePackagesOptions& options);

// Measures the energy that a run of each package costs.
// Runs each package by itself, repeatedly for at least min_ns and at least once, and sets joules_per_run. That is the
// growth of `joules`, a count that only grows, per run. It includes the whole machine and other programs that run on
// it. Throws Error as Package::Load does.
void MeasureEnergy(const InputOptions& inputs, int64_t min_ns, const std::function<double()>& joules,
                   std::vector<TimedPackage>& packages);

}  // namespace hone
