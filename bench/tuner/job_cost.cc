// hone_bench_job_cost [JOBS]: what the runner itself takes per candidate: forking, the sandbox, loading, reporting. A
// small dense kernel is checked and timed over and over; what its runs and their checks take is left out.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "core/error.h"
#include "rpc_runner/local_runner.h"
#include "rpc_runner/process/clock.h"
#include "tests/rpc_runner/kernel_fixture.h"

namespace hone::bench {
namespace {

constexpr double kGoalMs = 1.5;

// Milliseconds at that part of the sorted times.
double Part(const std::vector<int64_t>& sorted_ns, double part) {
  return static_cast<double>(sorted_ns[static_cast<size_t>(part * static_cast<double>(sorted_ns.size() - 1))]) / 1e6;
}

// Of each job, without its runs and checks.
std::vector<int64_t> Costs(LocalRunner& runner, const KernelJob& job, int jobs) {
  std::vector<int64_t> costs_ns;
  for (int i = 0; i < jobs; ++i) {
    const int64_t begin_ns = MonotonicNs();
    runner.Submit(job);
    JobResult result;
    if (!runner.Wait(-1, &result) || result.measurement.fate != Fate::kOk) {
      throw Error(ExitCode::kNoRunner, "the kernel did not run: " + result.measurement.message);
    }
    costs_ns.push_back(MonotonicNs() - begin_ns - result.cost.verify_ns - result.cost.timing_ns);
  }
  std::sort(costs_ns.begin(), costs_ns.end());
  return costs_ns;
}

int Run(int jobs) {
  LocalRunner runner({});
  const KernelJob job = DenseJob();
  Costs(runner, job, 5);
  const std::vector<int64_t> costs_ns = Costs(runner, job, jobs);
  fmt::print("isolation: {}\n", runner.Describe().isolation);
  fmt::print("ms per candidate: least {:.2f}, median {:.2f}, 90 % within {:.2f}; goal {:.1f}: {}\n", Part(costs_ns, 0),
             Part(costs_ns, 0.5), Part(costs_ns, 0.9), kGoalMs, Part(costs_ns, 0.5) <= kGoalMs ? "met" : "MISSED");
  return 0;
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  const int jobs = argc > 1 ? std::atoi(argv[1]) : 300;
  if (jobs < 1) {
    fmt::print(stderr, "hone_bench_job_cost: JOBS is given as {}; right is a number from 1 on\n", argv[1]);
    return 2;
  }
  try {
    return hone::bench::Run(jobs);
  } catch (const hone::Error& error) {
    fmt::print(stderr, "hone_bench_job_cost: {}\n", error.what());
    return static_cast<int>(error.code());
  }
}
