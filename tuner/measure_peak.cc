#include "tuner/measure_peak.h"

#include <algorithm>

#include "compiler/codegen/fma_kernel.h"

namespace hone {
namespace {

constexpr int64_t kTrips = 8000;
constexpr int kPeakSamples = 15;
constexpr int kProcesses = 3;

// The least time; 0 when the runner did not run it.
int64_t LeastNs(Runner& runner, const KernelJob& job, int64_t patience_ns) {
  if (runner.FreeSlots() == 0) return 0;
  const JobId id = runner.Submit(job);
  JobResult result;
  const bool came = runner.Wait(patience_ns, &result) && result.id == id;
  return came && result.measurement.fate == Fate::kOk ? result.measurement.MinNs() : 0;
}

}  // namespace

double MeasurePeak(Runner& runner, const Target& target, int threads, int64_t patience_ns) {
  const FmaKernel kernel = CompileFmaKernel(target, kTrips, threads);
  KernelJob job;
  job.artifact = kernel.artifact;
  job.reference = kernel.reference;
  job.seeds = {1};
  job.timing.cache = CacheMode::kWarm;
  job.timing.threads = threads;
  job.timing.min_samples = job.timing.max_samples = kPeakSamples;
  double best = 0;
  for (int i = 0; i < kProcesses; ++i) {
    const int64_t ns = LeastNs(runner, job, patience_ns);
    // A job that does not come back once would be waited for repeatedly.
    if (ns == 0) break;
    best = std::max(best, kernel.flops / static_cast<double>(ns));
  }
  return best;
}

}  // namespace hone
