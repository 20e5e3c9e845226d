#include "lab/machine/package_turns.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/error.h"
#include "lab/machine/package_there.h"

namespace hone {
namespace {

constexpr int64_t kMinRunsThere = 10;
constexpr int64_t kFirstRuns = 3;  // measure how many runs a job may have
constexpr int64_t kMostJobNs = 2'000'000'000;

}  // namespace

PackageTurns::PackageTurns(std::string name, PackageJob job, const TurnLimits& limits, Runner& runner)
    : name_(std::move(name)), job_(std::move(job)), limits_(limits), runner_(runner) {}

void PackageTurns::Take() {
  job_.runs = RunsNow();
  runner_.SubmitPackage(job_);
  JobResult result;
  if (!runner_.Wait(-1, &result)) throw Error(ExitCode::kNoRunner, "the runner gave no answer");
  RequireOk(name_, result);
  Keep(result);
}

bool PackageTurns::Enough() const {
  if (limits_.runs > 0) return runs_ >= limits_.runs;
  return runs_ >= kMinRunsThere && spent_ns_ >= limits_.min_time_ns;
}

std::vector<int64_t> PackageTurns::SamplesNs() const {
  std::vector<int64_t> samples_ns;
  for (const std::vector<int64_t>& job : jobs_ns_) samples_ns.insert(samples_ns.end(), job.begin(), job.end());
  return samples_ns;
}

int PackageTurns::RunsNow() const {
  int64_t runs = kFirstRuns;
  if (limits_.runs > 0) {
    runs = std::min(limits_.runs - runs_, std::max<int64_t>(1, limits_.runs / limits_.rounds));
  } else if (runs_ > 0) {
    const int64_t job_ns = std::min(kMostJobNs, limits_.min_time_ns / limits_.rounds);
    runs = job_ns / std::max<int64_t>(1, spent_ns_ / runs_);
  }
  return static_cast<int>(std::clamp<int64_t>(runs, 1, kMaxPackageRuns));
}

void PackageTurns::Keep(const JobResult& result) {
  const std::vector<int64_t>& samples_ns = result.measurement.samples_ns;
  jobs_ns_.push_back(samples_ns);
  runs_ += static_cast<int64_t>(samples_ns.size());
  spent_ns_ += std::accumulate(samples_ns.begin(), samples_ns.end(), int64_t{0});
  if (call_ns_.empty()) call_ns_ = result.cost.calls_ns;
  for (size_t i = 0; i < std::min(call_ns_.size(), result.cost.calls_ns.size()); ++i) {
    call_ns_[i] = std::min(call_ns_[i], result.cost.calls_ns[i]);
  }
}

void TakeTurns(std::vector<PackageTurns>& turns) {
  while (!std::all_of(turns.begin(), turns.end(), [](const PackageTurns& each) { return each.Enough(); })) {
    for (PackageTurns& each : turns) each.Take();
  }
}

}  // namespace hone
