// How many samples, of how many runs, and whether to believe them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/measurement.h"

namespace hone {

struct TimedRuns {
  int64_t ns = 0;       // that the runs took together
  int64_t away_ns = 0;  // of these, while somebody else had the core; 0 where that cannot be told
};

// Something that can be run and timed; a test gives a fake.
class TimedLoop {
 public:
  virtual ~TimedLoop() = default;
  // Runs `batch` times.
  virtual TimedRuns Run(int64_t batch) = 0;
  // A count that rises when the system takes the core away.
  virtual int64_t Disturbances() = 0;
};

struct Samples {
  std::vector<int64_t> per_run_ns;
  std::vector<int64_t> batch;
  bool noisy = false;
};

// At most `most` samples in all. One timed run, which warms up too, chooses the batch; then rounds: min_samples;
// halfway to max_samples when the least comes within near_factor of the incumbent; max_samples when it then comes
// within half of that margin. A round is clean when nothing disturbed it and its median is within 5 % of its least, and
// good enough when two of its thirds have minima within 2 %: what disturbed it did not reach the minimum then. A second
// to fourth round follows one that is neither, until two rounds' minima agree within 5 %, and any in which no sample
// within 5 % of the least kept its core for 98 % of its time: who takes the core in turns with another slows all
// samples of a long kernel alike. Noisy: the two least minima do not agree, or there is still no such sample. Stops
// beyond min_samples when 400 ms were spent.
Samples TakeSamples(const TimingPolicy& policy, int most, TimedLoop& loop);

}  // namespace hone
