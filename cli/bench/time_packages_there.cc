#include "cli/bench/time_packages_there.h"

#include <algorithm>
#include <numeric>

#include "cli/package_there.h"
#include "core/error.h"
#include "rpc_runner/executor/package_job.h"

namespace hone {
namespace {

constexpr int64_t kMinRuns = 10;
constexpr int kFirstRuns = 3;  // tell how many runs a job may have
constexpr size_t kMostRounds = 100;
constexpr int64_t kMostJobNs = 2'000'000'000;

TimedPackage Timed(const PackageThere& there) {
  TimedPackage timed;
  timed.path = there.path;
  timed.package = there.package;
  timed.threads = there.threads;
  return timed;
}

PackageJob MakeJob(const PackageThere& there, const InputOptions& inputs, bool random_params) {
  PackageJob job = JobWith(there, MakeInputs(InputSpecs(*there.package), inputs), kFirstRuns);
  if (!random_params) return job;
  PackageJob random =
      MakePackageJob(there.package->plan(), there.package->lib(), there.package->params(), there.threads, kFirstRuns);
  random.inputs = job.inputs;
  random.timing = job.timing;
  return random;
}

// One package's turns, a job each.
class Turns {
 public:
  Turns(PackageThere there, PackageJob job, const TimePackagesOptions& options, Runner& runner)
      : there_(std::move(there)), timed_(Timed(there_)), options_(options), runner_(runner), job_(std::move(job)) {}

  const TimedPackage& timed() const { return timed_; }

  void Take() {
    job_.runs = RunsNow();
    runner_.SubmitPackage(job_);
    JobResult result;
    if (!runner_.Wait(-1, &result)) throw Error(ExitCode::kNoRunner, "the runner gave no answer");
    Keep(result);
  }

  bool Enough() const {
    if (options_.runs > 0) return timed_.runs >= options_.runs;
    return timed_.runs >= kMinRuns && spent_ns_ >= options_.min_time_ns;
  }

 private:
  int RunsNow() const {
    const int64_t left = options_.runs > 0 ? options_.runs - timed_.runs : kMaxPackageRuns;
    return static_cast<int>(std::clamp<int64_t>(std::min(left, Quick()), 1, kMaxPackageRuns));
  }

  // As many as leave enough jobs for a verdict.
  int64_t Quick() const {
    if (options_.runs > 0) return std::max<int64_t>(1, options_.runs / options_.rounds);
    if (timed_.runs == 0) return kFirstRuns;
    const int64_t job_ns = std::min(kMostJobNs, options_.min_time_ns / options_.rounds);
    return job_ns / std::max<int64_t>(1, spent_ns_ / timed_.runs);
  }

  void Keep(const JobResult& result) {
    RequireOk(there_, result);
    const Measurement& m = result.measurement;
    timed_.runs += static_cast<int64_t>(m.samples_ns.size());
    timed_.samples_ns.insert(timed_.samples_ns.end(), m.samples_ns.begin(), m.samples_ns.end());
    const int64_t job_ns = std::accumulate(m.samples_ns.begin(), m.samples_ns.end(), int64_t{0});
    timed_.rounds.push_back(RoundOf(m.samples_ns, static_cast<int64_t>(m.samples_ns.size()), 0, job_ns));
    spent_ns_ += job_ns;
    if (timed_.call_ns.empty()) timed_.call_ns = result.cost.calls_ns;
    for (size_t i = 0; i < std::min(timed_.call_ns.size(), result.cost.calls_ns.size()); ++i) {
      timed_.call_ns[i] = std::min(timed_.call_ns[i], result.cost.calls_ns[i]);
    }
  }

  PackageThere there_;
  TimedPackage timed_;
  const TimePackagesOptions& options_;
  Runner& runner_;
  PackageJob job_;
  int64_t spent_ns_ = 0;
};

// Jobs of quick models are many: what lies together becomes one round.
void Gather(TimedPackage& timed, int rounds) {
  if (timed.rounds.size() <= kMostRounds) return;
  const auto samples = static_cast<int64_t>(timed.samples_ns.size());
  timed.rounds.clear();
  for (int i = 0; i < rounds; ++i) {
    const std::vector<int64_t> part(timed.samples_ns.begin() + samples * i / rounds,
                                    timed.samples_ns.begin() + samples * (i + 1) / rounds);
    timed.rounds.push_back(
        RoundOf(part, static_cast<int64_t>(part.size()), 0, std::accumulate(part.begin(), part.end(), int64_t{0})));
  }
}

}  // namespace

std::vector<TimedPackage> TimePackagesThere(const std::vector<std::string>& paths, const TimePackagesOptions& options,
                                            bool random_params, Runner& runner, Environment* machine) {
  *machine = runner.Describe();
  std::vector<PackageThere> there;
  for (const std::string& path : paths) {
    there.push_back(ForMachine(path, Package::Inspect(path, RunsOn(*machine)), options.threads, *machine));
  }
  const JobGroup group(runner);
  std::vector<Turns> turns;
  for (const PackageThere& each : there) {
    PackageJob job = MakeJob(each, options.inputs, random_params);
    job.group = group.number();
    turns.emplace_back(each, std::move(job), options, runner);
  }
  while (!std::all_of(turns.begin(), turns.end(), [](const Turns& t) { return t.Enough(); })) {
    for (Turns& each : turns) each.Take();
  }
  std::vector<TimedPackage> timed;
  for (const Turns& each : turns) timed.push_back(each.timed());
  for (TimedPackage& each : timed) Gather(each, options.rounds);
  return timed;
}

}  // namespace hone
