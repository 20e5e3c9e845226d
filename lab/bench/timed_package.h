// A package's times: rounds of many samples each.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/package.h"

namespace hone {

// In a round a package is loaded anew and runs in memory of its own. So the effect of its place in memory on its times
// varies between rounds. A round is one observation, because its samples share that place and that moment.
struct Round {
  int64_t p10_ns = 0, median_ns = 0;  // of its samples
  int64_t runs = 0;
  int64_t cpu_ns = 0;          // CPU time of all threads per run; 0: unknown
  double runs_per_second = 0;  // of all streams together
};

struct TimedPackage {
  std::string path;
  int threads = 0;  // of each stream
  int streams = 1;  // sessions that ran at once
  int64_t runs = 0;
  int64_t batch = 1;                // runs in a sample; the last of a round may have fewer
  std::vector<int64_t> samples_ns;  // of one run, of all rounds
  std::vector<Round> rounds;
  bool settled = true;           // whether each round's warm-up ended because times were steady
  std::vector<int64_t> call_ns;  // median of each plan call; empty without profiled runs
  double joules_per_run = 0;     // energy that the machine used; 0: not measured
  std::shared_ptr<const Package> package;
};

// The round of these samples, each the time of one run. cpu_ns and wall_ns are of all runs together.
Round RoundOf(const std::vector<int64_t>& samples_ns, int64_t runs, int64_t cpu_ns, int64_t wall_ns);
// The times that verdicts compare, in the order of rounds: each round's p10_ns. With `throughput` it is the elapsed
// time over the number of runs that all streams did in it.
std::vector<int64_t> RoundTimes(const TimedPackage& timed, bool throughput);

}  // namespace hone
