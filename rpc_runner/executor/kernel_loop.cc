#include "rpc_runner/executor/kernel_loop.h"

#include <sys/resource.h>

#include <cstring>

#include "rpc_runner/executor/cache_flush.h"
#include "rpc_runner/executor/shared_region.h"
#include "rpc_runner/process/clock.h"

namespace hone {
namespace {

constexpr size_t kValueBytes = 4;

}  // namespace

KernelLoop::KernelLoop(ThreadPool& pool, const KernelLaunch& launch, CacheMode cache, std::vector<Range> weights,
                       std::pair<void*, size_t> output)
    : pool_(pool), launch_(launch), cache_(cache), weights_(std::move(weights)), output_(output) {}

void KernelLoop::PoisonOne() {
  if (output_.second < kValueBytes) return;
  place_ = place_ * 6364136223846793005u + 1442695040888963407u;
  const size_t values = output_.second / kValueBytes;
  std::memset(static_cast<char*>(output_.first) + (place_ >> 33) % values * kValueBytes, kPoison, kValueBytes);
}

int64_t KernelLoop::RunOnce(int64_t batch) {
  const int64_t begin_ns = MonotonicNs();
  for (int64_t i = 0; i < batch && code_ == 0; ++i) {
    if (i > 0) PoisonOne();
    code_ = RunKernel(pool_, launch_);
  }
  return MonotonicNs() - begin_ns;
}

int64_t KernelLoop::Run(int64_t batch) {
  std::memset(output_.first, kPoison, output_.second);
  if (cache_ == CacheMode::kWarm) return RunOnce(batch);
  int64_t total_ns = 0;
  for (int64_t i = 0; i < batch; ++i) {
    for (const Range& range : weights_) FlushFromCaches(range.first, range.second);
    if (i > 0) PoisonOne();
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
