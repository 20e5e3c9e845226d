#include "bench/fleet/candidate_cost.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/error.h"
#include "rpc_runner/local_runner.h"
#include "rpc_runner/process/clock.h"
#include "tests/rpc_runner/kernel_fixture.h"

namespace hone::bench {
namespace {

// The value in ms at the fraction `part` of the sorted times.
double Part(const std::vector<int64_t>& sorted_ns, double part) {
  return static_cast<double>(sorted_ns[static_cast<size_t>(part * static_cast<double>(sorted_ns.size() - 1))]) / 1e6;
}

// The cost of each job, sorted.
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

}  // namespace

CandidateCost MeasureCandidateCost(int jobs) {
  LocalRunner runner({});
  const KernelJob job = DenseJob();
  Costs(runner, job, 5);
  const std::vector<int64_t> costs_ns = Costs(runner, job, jobs);
  return {Part(costs_ns, 0), Part(costs_ns, 0.5), Part(costs_ns, 0.9), runner.Describe().isolation};
}

}  // namespace hone::bench
