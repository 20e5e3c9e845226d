// A loaded kernel, run and timed.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/measurement.h"
#include "rpc_runner/executor/timing.h"
#include "runtime/kernel_launch.h"

namespace hone {

// Times RunKernel:
// - With kColdWeights, the given ranges are flushed from the caches before each run, outside the clock. Each run is
//   timed separately.
// - With kWarm, the batch runs in one go.
// - Before each batch the whole output is poisoned, outside the clock, and before each further run one value of it. So
//   a kernel that skips its work after the first run fails the check of the last output.
// - away_ns is wall time minus the calling thread's CPU time. With helpers, the caller also sleeps while waiting for
//   them, so it is 0 unless the process had an involuntary context switch.
class KernelLoop : public TimedLoop {
 public:
  using Range = std::pair<const void*, size_t>;
  // pool, launch and output must outlive it.
  KernelLoop(ThreadPool& pool, const KernelLaunch& launch, CacheMode cache, std::vector<Range> weights,
             std::pair<void*, size_t> output);
  TimedRuns Run(int64_t batch) override;
  // The number of involuntary context switches of the process.
  int64_t Disturbances() override;
  // The first non-zero code of a run, or 0.
  int32_t code() const { return code_; }

 private:
  TimedRuns RunOnce(int64_t batch);
  TimedRuns RunAll(int64_t batch);
  void PoisonOne();

  ThreadPool& pool_;
  const KernelLaunch& launch_;
  const CacheMode cache_;
  const std::vector<Range> weights_;
  const std::pair<void*, size_t> output_;
  uint64_t place_ = 0;  // random state that chooses the next value to poison
  int32_t code_ = 0;
};

}  // namespace hone
