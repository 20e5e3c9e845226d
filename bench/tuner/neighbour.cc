// hone_bench_neighbour [JOBS]: whether times that a neighbour on the same core distorted are detected, and whether the
// best candidate still wins beside it. Exits 1 on a miss. Runs JOBS jobs of each length (100 by default).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

#include "bench/run_bench.h"
#include "bench/tuner/duty_spinner.h"
#include "bench/tuner/verdict.h"
#include "compiler/codegen/fma_kernel.h"
#include "compiler/codegen/target/host.h"
#include "core/error.h"
#include "core/random.h"
#include "core/text/parse_number.h"
#include "rpc_runner/runner.h"
#include "runtime/threads/allowed_cores.h"
#include "tuner/batch_measurer.h"

namespace hone::bench {
namespace {

constexpr double kTripsPerMs = 40'000;  // approximate; the kernel's time is measured
constexpr int kQuietJobs = 9;
constexpr double kDistorted = 1.05;
constexpr int kCandidates = 8;
constexpr double kStep = 1.04;

KernelJob JobOf(double ms) {
  FmaKernel kernel = CompileFmaKernel(HostTarget(), std::llround(ms * kTripsPerMs), 1);
  KernelJob job;
  job.artifact = std::move(kernel.artifact);
  job.reference = std::move(kernel.reference);
  job.seeds = {1, 2};
  return job;
}

Measurement Time(Runner& runner, const KernelJob& job) {
  runner.Submit(job);
  JobResult result;
  if (!runner.Wait(-1, &result)) throw Error(ExitCode::kNoRunner, "the runner was lost");
  if (result.measurement.fate != Fate::kOk) {
    throw Error(ExitCode::kNoRunner, "the kernel did not run: " + result.measurement.message);
  }
  return result.measurement;
}

int64_t QuietNs(Runner& runner, const KernelJob& job) {
  int64_t least_ns = Time(runner, job).MinNs();
  for (int i = 1; i < kQuietJobs; ++i) least_ns = std::min(least_ns, Time(runner, job).MinNs());
  return least_ns;
}

struct Flags {
  int jobs = 0, distorted = 0, flagged = 0;
};

Flags CountFlags(Runner& runner, const KernelJob& job, int64_t quiet_ns, int jobs) {
  Flags flags{jobs};
  for (int i = 0; i < jobs; ++i) {
    const Measurement measurement = Time(runner, job);
    if (static_cast<double>(measurement.MinNs()) <= kDistorted * static_cast<double>(quiet_ns)) continue;
    ++flags.distorted;
    flags.flagged += measurement.noisy ? 1 : 0;
  }
  return flags;
}

// The best job, timed in a random order as a tuner does: a noisy one is timed again and never wins.
size_t BestOf(Runner& runner, std::vector<KernelJob>& jobs, Random& random) {
  std::vector<size_t> order(jobs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.Below(i)]);
  size_t best = jobs.size();
  int64_t best_ns = 0;
  for (const size_t candidate : order) {
    jobs[candidate].timing.incumbent_ns = best_ns;
    Measurement measurement = Time(runner, jobs[candidate]);
    for (int i = 0; i < BatchMeasurer::kRepeats && measurement.noisy; ++i) measurement = Time(runner, jobs[candidate]);
    if (measurement.noisy || (best_ns > 0 && measurement.MinNs() >= best_ns)) continue;
    best = candidate;
    best_ns = measurement.MinNs();
  }
  return best;
}

int Run(int jobs) {
  // The first CPU handles the interrupts, so the last one is used.
  const int cpu = AffinityCpus().back();
  const auto runner = MakeLocalRunner({cpu});
  std::vector<KernelJob> lengths;
  std::vector<int64_t> quiet_ns;
  for (const double ms : {0.1, 1.0, 4.0, 12.0}) {
    lengths.push_back(JobOf(ms));
    quiet_ns.push_back(QuietNs(*runner, lengths.back()));
  }
  std::vector<KernelJob> candidates;
  for (int i = 0; i < kCandidates; ++i) candidates.push_back(JobOf(0.5 * std::pow(kStep, i)));

  const DutySpinner neighbour(cpu, 0.3);
  Flags all;
  for (size_t i = 0; i < lengths.size(); ++i) {
    const Flags flags = CountFlags(*runner, lengths[i], quiet_ns[i], jobs);
    fmt::print("{:6.2f} ms: {} of {} times distorted, {} of them noisy\n", static_cast<double>(quiet_ns[i]) / 1e6,
               flags.distorted, flags.jobs, flags.flagged);
    all.distorted += flags.distorted;
    all.flagged += flags.flagged;
  }
  Random random(1);
  int right = 0;
  const int searches = std::max(1, jobs / 5);
  for (int i = 0; i < searches; ++i) right += BestOf(*runner, candidates, random) == 0 ? 1 : 0;
  Verdicts verdicts;
  verdicts.AtLeast(fmt::format("% of {} times off by more than 5 % that are noisy", all.distorted), 95,
                   100.0 * all.flagged / std::max(1, all.distorted));
  verdicts.AtLeast(fmt::format("% of {} searches beside a 30 % neighbour that find the best", searches), 100,
                   100.0 * right / searches);
  return verdicts.all_met() ? 0 : 1;
}

int Number(const char* text) {
  const auto number = ParseInteger(text);
  if (number && *number > 0 && *number <= 1'000'000) return static_cast<int>(*number);
  throw Error(ExitCode::kUsage, "hone_bench_neighbour [JOBS] is right, with a number from 1 to 1000000");
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  return hone::bench::RunBench("hone_bench_neighbour",
                               [&] { return hone::bench::Run(argc > 1 ? hone::bench::Number(argv[1]) : 100); });
}
