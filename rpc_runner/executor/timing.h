// Chooses the number of samples and of runs per sample, and tells whether to believe them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/measurement.h"

namespace hone {

struct TimedRuns {
  int64_t ns = 0;       // all runs together
  int64_t away_ns = 0;  // the part of it without a core; 0 if unknown
};

// Something that can be run and timed; tests provide a fake.
class TimedLoop {
 public:
  virtual ~TimedLoop() = default;
  // Runs `batch` times.
  virtual TimedRuns Run(int64_t batch) = 0;
  // A counter that rises when the system takes the core away.
  virtual int64_t Disturbances() = 0;
};

struct Samples {
  std::vector<int64_t> per_run_ns;
  std::vector<int64_t> batch;
  bool noisy = false;
};

// Takes at most `most` samples. One timed run, which also warms up, chooses the batch. Then come one to four rounds:
// - A round takes min_samples. If its least time is within near_factor of the incumbent, it goes on halfway to
//   max_samples; if then within half of that margin, to max_samples.
// - A round is clean if nothing disturbed it and its median is within 5 % of its least.
// - A round is good enough if two of its thirds have minima within 2 %: disturbances did not reach the minimum.
// - Another round follows until one is clean or good enough, or the two least minima of all rounds agree within 5 %.
// - Another round also follows until a sample within 5 % of the least kept its core for 98 % of its time. Two programs
//   that take turns on a core slow all samples of a long kernel alike.
// The result is noisy if the two least minima do not agree, or if there is still no such sample. Sampling stops beyond
// min_samples once 400 ms are spent.
Samples TakeSamples(const TimingPolicy& policy, int most, TimedLoop& loop);

}  // namespace hone
