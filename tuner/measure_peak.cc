#include "tuner/measure_peak.h"

#include "compiler/codegen/fma_kernel.h"

namespace hone {
namespace {

constexpr int64_t kTrips = 8000;
constexpr int kSamples = 15;
constexpr int64_t kPatienceNs = 30'000'000'000;

}  // namespace

double MeasurePeak(Runner& runner, const Target& target, int threads) {
  if (runner.FreeSlots() == 0) return 0;
  const FmaKernel kernel = CompileFmaKernel(target, kTrips, threads);
  KernelJob job;
  job.artifact = kernel.artifact;
  job.reference = kernel.reference;
  job.seeds = {1};
  job.timing.cache = CacheMode::kWarm;
  job.timing.threads = threads;
  job.timing.min_samples = job.timing.max_samples = kSamples;
  const JobId id = runner.Submit(std::move(job));
  JobResult result;
  if (!runner.Wait(kPatienceNs, &result) || result.id != id || result.measurement.fate != Fate::kOk) return 0;
  return kernel.flops / static_cast<double>(result.measurement.MinNs());
}

}  // namespace hone
