#include "rpc_runner/executor/kernel_loop.h"

#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#include "rpc_runner/executor/memory/shared_region.h"
#include "rpc_runner/process/clock.h"
#include "runtime/threads/thread_state.h"

namespace hone {
namespace {

#if defined(__x86_64__)

constexpr size_t kLine = 64;

bool HasClflushopt() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & (1u << 23)) != 0;
}

// clflush waits for each line but clflushopt does not, which is several times faster on a layer's weights.
__attribute__((target("clflushopt"))) void FlushUnordered(char* begin, const char* end) {
  for (char* line = begin; line < end; line += kLine) _mm_clflushopt(line);
}

void FlushLines(uintptr_t begin, uintptr_t end) {
  static const bool kUnordered = HasClflushopt();
  char* first = reinterpret_cast<char*>(begin / kLine * kLine);
  const char* last = reinterpret_cast<const char*>(end);
  if (kUnordered) {
    FlushUnordered(first, last);
  } else {
    for (char* line = first; line < last; line += kLine) _mm_clflush(line);
  }
  _mm_mfence();
}

#elif defined(__aarch64__)

void FlushLines(uintptr_t begin, uintptr_t end) {
  uint64_t type = 0;
  asm volatile("mrs %0, ctr_el0" : "=r"(type));
  const uintptr_t line_bytes = uintptr_t{4} << ((type >> 16) & 15);
  for (uintptr_t line = begin / line_bytes * line_bytes; line < end; line += line_bytes) {
    asm volatile("dc civac, %0" : : "r"(line) : "memory");
  }
  asm volatile("dsb sy" : : : "memory");
}

#else

void FlushLines(uintptr_t, uintptr_t) {
  static std::vector<char> through(size_t{64} << 20, 1);
  volatile char sum = 0;
  for (size_t i = 0; i < through.size(); i += 64) sum = static_cast<char>(sum + through[i]);
}

#endif

// On return, no cache line of [data, data + bytes) is in a cache. On x86-64 and AArch64 this flushes line by line. On
// other CPUs it reads through more memory than the last-level cache holds.
void FlushFromCaches(const void* data, size_t bytes) {
  const uintptr_t begin = reinterpret_cast<uintptr_t>(data);
  FlushLines(begin, begin + bytes);
}

constexpr size_t kValueBytes = 4;

// The calling thread's CPU time.
int64_t OwnNs() { return ClockNs(CLOCK_THREAD_CPUTIME_ID); }

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
