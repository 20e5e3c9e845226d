// A package's times: rounds, each of many samples.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/package.h"

namespace hone {

// In a round a package is loaded anew and runs in memory of its own, so that what its place in memory does to its times
// differs between rounds. A round's times are one observation: its samples share that place and that moment.
struct Round {
  int64_t p10_ns = 0, median_ns = 0;  // of its samples
  int64_t runs = 0;
  int64_t cpu_ns = 0;          // that all threads spent, a run; 0: not known
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
  bool settled = true;           // whether each round's warm-up ended because times had become steady
  std::vector<int64_t> call_ns;  // the median of each plan call; empty without profiled runs
  double joules_per_run = 0;     // that the machine used; 0: not measured
  std::shared_ptr<const Package> package;
};

// Of these samples, each the time of one run. cpu_ns and wall_ns: of all runs together.
Round RoundOf(const std::vector<int64_t>& samples_ns, int64_t runs, int64_t cpu_ns, int64_t wall_ns);
// What verdicts are found from, in the order of rounds: the rounds' p10_ns; of streams that were timed for what they do
// together the time that passed over the runs that were done in it.
std::vector<int64_t> RoundTimes(const TimedPackage& timed, bool throughput);

}  // namespace hone
