// Compares packages that were run as a whole, now or in saved bench results (docs/reference/formats.md, "Bench
// result").
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/comparison/comparison.h"

namespace hone {

// One package on one machine.
struct PackageTimes {
  std::string model;
  int64_t images = 1;  // per run
  Environment machine;
  Target target;  // that it was built for; empty if unknown
  int threads = 1;
  std::string cache;                  // as in ComparedDevice
  ComparedTime time;                  // of a run: median and its 95 % confidence interval
  std::vector<ComparedLayer> layers;  // time.ns is 0 if calls were not timed; equal names are joined
  std::string precision, hone_version;
  double flops = 0;             // per run
  double joules_per_image = 0;  // energy that the machine used; 0: unknown
  std::string why_noisy;        // one line; empty: not noisy
  MachineRoofs roofs;           // zeros: unknown
};

// Makes one row per machine, target, threads and cache state, in order of first appearance. If one row gets two times
// of a model, the later one replaces the earlier.
Comparison ComparePackages(const std::vector<PackageTimes>& packages);

// Joins layers of the same name: their uses are added up, and the time of one use is their mean.
std::vector<ComparedLayer> JoinLayers(const std::vector<ComparedLayer>& calls);

// The packages of one result; `name` is the file's, for messages. Throws Error(kBadData) for anything but a bench
// result of this version. Throws Error(kUsage) for one in throughput mode, whose times are not those of a single run.
std::vector<PackageTimes> ReadBenchResult(std::string_view json, const std::string& name);

}  // namespace hone
