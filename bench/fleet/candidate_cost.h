// The runner's own cost per candidate: forking, the sandbox, loading, reporting.
#pragma once

#include <string>

namespace hone::bench {

// The cost for a small dense kernel that is checked and timed repeatedly, without the time of its runs and checks.
struct CandidateCost {
  double least_ms = 0, median_ms = 0;
  double most_ms = 0;     // 90th percentile
  std::string isolation;  // the isolation that was in force
};
// Throws Error(kNoRunner) if the kernel does not run.
CandidateCost MeasureCandidateCost(int jobs);

}  // namespace hone::bench
