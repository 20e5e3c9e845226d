#include "rpc_runner/executor/kernel_loop.h"

#include <sys/resource.h>

#include "rpc_runner/executor/cache_flush.h"
#include "rpc_runner/process/clock.h"

namespace hone {

KernelLoop::KernelLoop(ThreadPool& pool, const KernelLaunch& launch, CacheMode cache, std::vector<Range> weights)
    : pool_(pool), launch_(launch), cache_(cache), weights_(std::move(weights)) {}

int64_t KernelLoop::RunOnce(int64_t batch) {
  const int64_t begin_ns = MonotonicNs();
  for (int64_t i = 0; i < batch && code_ == 0; ++i) code_ = RunKernel(pool_, launch_);
  return MonotonicNs() - begin_ns;
}

int64_t KernelLoop::Run(int64_t batch) {
  if (cache_ == CacheMode::kWarm) return RunOnce(batch);
  int64_t total_ns = 0;
  for (int64_t i = 0; i < batch; ++i) {
    for (const Range& range : weights_) FlushFromCaches(range.first, range.second);
    total_ns += RunOnce(1);
  }
  return total_ns;
}

int64_t KernelLoop::Disturbances() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

}  // namespace hone
