// The result of a benchmark, with everything needed to read its numbers. docs/reference/formats.md, "Bench result".
#pragma once

#include <string>
#include <vector>

#include "core/json/serialize.h"
#include "core/measurement.h"
#include "lab/bench/machine_context.h"
#include "lab/bench/timed_package.h"
#include "lab/bench/verdict.h"

namespace hone {

// Conditions that must agree before two results are compared.
struct BenchConditions {
  bool throughput = false;
  std::string cache = "alone";  // or "turns": packages evicted each other's weights
  bool there = false;           // whether a runner timed
  std::string fill = "random";
};

// Reasons to doubt the times.
struct BenchNoise {
  double steal_share = 0;  // the hypervisor's share of the used cores' time during timing
  double spread = 0;       // the worst package's interquartile range of rounds over their median
  std::vector<std::string> notes;
};

// Source of the packages' joules_per_run.
struct BenchEnergy {
  bool asked = false;
  std::vector<std::string> domains;  // domains that were counted: "package-0"
  std::string why_not;               // one line if none could be counted
};

struct BenchResult {
  std::vector<TimedPackage> packages;
  Environment machine;
  MachineContext context;
  BenchConditions conditions;
  BenchNoise noise;
  BenchEnergy energy;
  std::vector<Verdict> verdicts;
  bool per_op = false;
};

// The package's path, in throughput mode with the streams: "P.hone/streams:4".
std::string NameOf(const TimedPackage& timed, const BenchConditions& conditions);
// Images per second: at the 10th percentile of latencies, or in throughput mode of all streams together (the median
// over rounds).
double ImagesPerSecond(const TimedPackage& timed, const BenchConditions& conditions);
// Joules per image; 0 if the package's energy was not measured.
double JoulesPerImage(const TimedPackage& timed);
// Fills in the notes and the spread from the rest of the result.
void JudgeNoise(BenchResult& result);
// The sum of the least times that its kernels took when they were tuned, over the package's least time. 0 if no kernel
// was tuned.
double ExpectedShare(const TimedPackage& timed);

// The whole document.
Json ToJson(const BenchResult& result);

}  // namespace hone
