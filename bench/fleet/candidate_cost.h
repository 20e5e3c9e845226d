// What the runner itself takes per candidate: forking, the sandbox, loading, reporting.
#pragma once

#include <string>

namespace hone::bench {

// Of a small dense kernel that is checked and timed over and over; what its runs and their checks take is left out.
struct CandidateCost {
  double least_ms = 0, median_ms = 0;
  double most_ms = 0;     // of nine in ten
  std::string isolation;  // under which
};
// Throws Error(kNoRunner) when it does not run.
CandidateCost MeasureCandidateCost(int jobs);

}  // namespace hone::bench
