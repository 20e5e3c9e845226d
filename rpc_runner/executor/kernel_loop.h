// A loaded kernel, run under the clock.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/measurement.h"
#include "rpc_runner/executor/timing.h"
#include "runtime/kernel_launch.h"

namespace hone {

// Times RunKernel. With kColdWeights the given ranges are flushed from the caches before each run, outside the clock,
// and each run is timed by itself; with kWarm the batch runs in one go. Before each batch the output is made wrong
// outside the clock, and before each further run one value of it: a run that finds its work done and leaves it fails
// the check of what the last one left. Away is what the calling thread's own clock did not see; with helpers, for whom
// it sleeps when they take long, only where the system took a core from any of them.
class KernelLoop : public TimedLoop {
 public:
  using Range = std::pair<const void*, size_t>;
  // pool, launch and output must outlive it.
  KernelLoop(ThreadPool& pool, const KernelLaunch& launch, CacheMode cache, std::vector<Range> weights,
             std::pair<void*, size_t> output);
  TimedRuns Run(int64_t batch) override;
  // Involuntary context switches of the process.
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
  uint64_t place_ = 0;  // of the next value to poison
  int32_t code_ = 0;
};

}  // namespace hone
