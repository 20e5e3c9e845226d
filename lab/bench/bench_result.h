// The result of a benchmark, with everything needed to read its numbers. docs/reference/formats.md, "Bench result".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/json/serialize.h"
#include "core/measurement.h"
#include "lab/bench/machine_context.h"
#include "lab/bench/timed_package.h"
#include "lab/bench/verdict.h"
#include "runtime/package.h"

namespace hone {

// Facts of a package that are needed to read its times.

// Element types of its convolutions and products: "float32", "int8", or "float32+int8" if both occur. "float32" if it
// has neither.
std::string PrecisionOf(const Plan& plan);
// Images in a timed run: the extent of its first input's first axis; 1 if it has none.
int64_t ImagesOf(const TimedPackage& timed);
// FLOPs of a run: twice its multiply-adds.
double FlopsOf(const Plan& plan);
// Number of calls per source of their kernel's configuration (Dispatch::source).
std::map<std::string, int> KernelSources(const Plan& plan);
// The sum of the times of those calls whose kernels were timed by themselves; 0 if none was.
int64_t ExpectedNs(const Plan& plan);
// 64 hex digits that identify its contents: the hash of the compact manifest, which holds the hashes of all parts.
std::string PackageSha256(const Package& package);

// Conditions that must agree before two results are compared.
struct BenchConditions {
  bool throughput = false;
  std::string cache = "alone";  // or "turns": packages evicted each other's weights
  bool there = false;           // whether a runner timed
  std::string fill = "random";
};

// Reasons to doubt the times.
struct BenchNoise {
  // CPUs that other programs used just before timing here, without hone's own runs; -1: unknown, as on a runner.
  double busy_cpus = -1;
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

// A runtime behind an adapter, which took turns with others on one model and its inputs.
struct RuntimeTimes {
  std::string name;       // as the user named it
  bool is_hone = false;   // whether it ran the package of `timed`
  TimedPackage timed;     // `path` is its name, version and settings; `package` hone's; no rounds if it was not timed
  std::string precision;  // docs/reference/adapter.md; empty if it was not loaded
  int64_t memory_bytes = 0;                   // by which its process grew; 0: unknown
  double error = 0;                           // the largest max |y - r| / max |r| of an output against the reference
  double allowed = 0;                         // the largest that agrees
  std::string why_not = {};                   // why it was not timed; empty if it was
  std::string doubt = {};                     // why nobody can tell whether its outputs are right; empty otherwise
  bool fastest = false;                       // each other one that was timed is slower
  bool fastest_of_precision = false;          // the same among those of its precision, if there are others
  std::optional<Verdict> against_least = {};  // on it against the one of the least times, which has none
};

struct BenchResult {
  std::vector<TimedPackage> packages;
  std::vector<RuntimeTimes> runtimes;  // if runtimes were timed; `packages` has hone's alone, if it is among them
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

// Its threads, runs and the statistics of its samples, as a package and a runtime have them in the document.
Json TimesJson(const TimedPackage& timed);
// The whole document.
Json ToJson(const BenchResult& result);

}  // namespace hone
