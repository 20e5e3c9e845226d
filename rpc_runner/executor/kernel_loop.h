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
// and each run is timed by itself; with kWarm the batch runs in one go.
class KernelLoop : public TimedLoop {
 public:
  using Range = std::pair<const void*, size_t>;
  // pool and launch must outlive it.
  KernelLoop(ThreadPool& pool, const KernelLaunch& launch, CacheMode cache, std::vector<Range> weights);
  int64_t Run(int64_t batch) override;
  // Involuntary context switches of the process.
  int64_t Disturbances() override;
  // The first non-zero code of a run, or 0.
  int32_t code() const { return code_; }

 private:
  int64_t RunOnce(int64_t batch);

  ThreadPool& pool_;
  const KernelLaunch& launch_;
  const CacheMode cache_;
  const std::vector<Range> weights_;
  int32_t code_ = 0;
};

}  // namespace hone
