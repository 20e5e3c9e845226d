// How many samples, of how many runs, and whether to believe them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/measurement.h"

namespace hone {

// Something that can be run and timed; a test gives a fake.
class TimedLoop {
 public:
  virtual ~TimedLoop() = default;
  // Runs `batch` times; the nanoseconds that the runs took together.
  virtual int64_t Run(int64_t batch) = 0;
  // A count that rises when the system takes the core away.
  virtual int64_t Disturbances() = 0;
};

struct Samples {
  std::vector<int64_t> per_run_ns;
  std::vector<int64_t> batch;
  bool noisy = false;
};

// At most `most` samples in all. One warm run and one timed run choose the batch; then rounds: min_samples, and
// max_samples in all when the least comes within near_factor of the incumbent. A round is clean when nothing disturbed
// it and its median is within 5 % of its least; a second to fourth round follows a round that is not, until two rounds'
// minima agree within 5 %. Noisy: the two least of them do not. Stops beyond min_samples when 400 ms were spent.
Samples TakeSamples(const TimingPolicy& policy, int most, TimedLoop& loop);

}  // namespace hone
