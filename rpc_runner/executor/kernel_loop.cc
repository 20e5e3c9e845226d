#include "rpc_runner/executor/kernel_loop.h"

#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <cstring>

#include "rpc_runner/executor/memory/cache_flush.h"
#include "rpc_runner/executor/memory/shared_region.h"
#include "rpc_runner/process/clock.h"

namespace hone {
namespace {

constexpr size_t kValueBytes = 4;

// The calling thread's CPU time.
int64_t OwnNs() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return int64_t{1'000'000'000} * time.tv_sec + time.tv_nsec;
}

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

TimedRuns KernelLoop::RunOnce(int64_t batch) {
  const DenormalsOff off;
  const int64_t own_begin_ns = OwnNs(), begin_ns = MonotonicNs();
  for (int64_t i = 0; i < batch && code_ == 0; ++i) {
    if (i > 0) PoisonOne();
    code_ = RunKernel(pool_, launch_);
  }
  const int64_t ns = MonotonicNs() - begin_ns;
  return {ns, std::max<int64_t>(0, ns - (OwnNs() - own_begin_ns))};
}

TimedRuns KernelLoop::RunAll(int64_t batch) {
  if (cache_ == CacheMode::kWarm) return RunOnce(batch);
  TimedRuns all;
  for (int64_t i = 0; i < batch; ++i) {
    for (const Range& range : weights_) FlushFromCaches(range.first, range.second);
    if (i > 0) PoisonOne();
    const TimedRuns one = RunOnce(1);
    all.ns += one.ns;
    all.away_ns += one.away_ns;
  }
  return all;
}

TimedRuns KernelLoop::Run(int64_t batch) {
  std::memset(output_.first, kPoison, output_.second);
  const int64_t before = Disturbances();
  TimedRuns runs = RunAll(batch);
  if (pool_.threads() > 1 && Disturbances() == before) runs.away_ns = 0;
  return runs;
}

int64_t KernelLoop::Disturbances() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

}  // namespace hone
