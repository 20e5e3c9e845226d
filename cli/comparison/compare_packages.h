// A comparison of packages that were run as a whole, now or in saved bench results.
#pragma once

#include <string>
#include <vector>

#include "cli/comparison/comparison.h"

namespace hone {

// One package on one machine.
struct PackageTimes {
  std::string model;
  int64_t images = 1;  // of a run
  Environment machine;
  Target target;  // that it was built for; empty where not known
  int threads = 1;
  std::string cache;                  // as ComparedDevice's
  ComparedTime time;                  // of a run: median and its 95 % interval
  std::vector<ComparedLayer> layers;  // of time.ns 0 where calls were not timed; equal names are joined
  std::string precision, hone_version;
  double flops = 0;             // of a run
  double joules_per_image = 0;  // that the machine used; 0: not known
  std::string why_noisy;        // one line; empty: nothing speaks against the time
  MachineRoofs roofs;           // zeros: not known
};

// A row per machine, target, threads and cache state, in the order in which they come first; of two times of one model
// on one row the later stands.
Comparison ComparePackages(const std::vector<PackageTimes>& packages);

// Layers of one name joined: uses added up, the time of one use their mean.
std::vector<ComparedLayer> JoinLayers(const std::vector<ComparedLayer>& calls);

}  // namespace hone
