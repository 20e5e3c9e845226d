#include "bench/tuner/paired_finals.h"

#include <cmath>

#include "compiler/codegen/fma_kernel.h"
#include "compiler/codegen/target/host.h"
#include "core/error.h"
#include "tuner/finals/finals_stage.h"
#include "tuner/finals/interleaved_rounds.h"

namespace hone::bench {
namespace {

constexpr double kTrips = 2000;

KernelJob JobOf(double trips) {
  FmaKernel kernel = CompileFmaKernel(HostTarget(), std::llround(trips), 1);
  KernelJob job;
  job.artifact = std::move(kernel.artifact);
  job.reference = std::move(kernel.reference);
  job.seeds = {1, 2};
  job.timing.min_samples = job.timing.max_samples = FinalsStage::kSamples;
  return job;
}

}  // namespace

PairedFinals::PairedFinals(Runner& runner, double gap, uint64_t seed)
    : runner_(runner), random_(seed), tools_(RealTuneTools()), jobs_{JobOf(kTrips * (1 + gap)), JobOf(kTrips)} {}

FinalsVerdict PairedFinals::Hold() {
  const auto results = InterleavedRounds(runner_, jobs_, FinalsStage::kRounds, random_, tools_, [] { return false; });
  if (results.empty()) throw Error(ExitCode::kNoRunner, "the runner was lost");
  std::vector<std::vector<int64_t>> least_ns(results.size());
  for (size_t f = 0; f < results.size(); ++f) {
    for (const Measurement& m : results[f]) {
      if (m.fate != Fate::kOk) throw Error(ExitCode::kNoRunner, "the kernel did not run: " + m.message);
      least_ns[f].push_back(m.MinNs());
    }
  }
  return RankFinalists(least_ns, 0);
}

}  // namespace hone::bench
