// What a benchmark found, with all that its numbers are to be read with. docs/formats.md, "Bench result".
#pragma once

#include <string>
#include <vector>

#include "cli/bench/machine_context.h"
#include "cli/bench/timed_package.h"
#include "cli/bench/verdict.h"
#include "core/measurement.h"
#include "core/serialize.h"

namespace hone {

// What must agree before two results are compared.
struct BenchConditions {
  bool throughput = false;
  std::string cache = "alone";  // or "turns": packages evicted each other's weights
  bool there = false;           // a runner timed
  std::string fill = "random";
};

// What speaks against the times.
struct BenchNoise {
  double steal_share = 0;  // of our cores' time while timing, taken by the hypervisor
  double spread = 0;       // of the worst package: the distance of its rounds' quartiles over their median
  std::vector<std::string> notes;
};

// Of packages' joules_per_run.
struct BenchEnergy {
  bool asked = false;
  std::vector<std::string> domains;  // that were counted: "package-0"
  std::string why_not;               // one line, where none could be
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

// Its path, and in throughput mode the streams: "P.hone/streams:4".
std::string NameOf(const TimedPackage& timed, const BenchConditions& conditions);
// Images per second: at the 10th percentile of latencies, and in throughput mode of all streams together (the median
// over rounds).
double ImagesPerSecond(const TimedPackage& timed, const BenchConditions& conditions);
// Of a package whose energy was measured; else 0.
double JoulesPerImage(const TimedPackage& timed);
// Fills in notes and spread from what else the result holds.
void JudgeNoise(BenchResult& result);
// What its kernels took when they were tuned, together, over its least time: least with least. 0 when none was.
double ExpectedShare(const TimedPackage& timed);

// The whole document.
Json ToJson(const BenchResult& result);

}  // namespace hone
