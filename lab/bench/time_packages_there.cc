#include "lab/bench/time_packages_there.h"

#include <numeric>

#include "lab/machine/package_there.h"
#include "rpc_runner/executor/package_job.h"

namespace hone {
namespace {

// The round that a job's samples form.
Round RoundOfJob(const std::vector<int64_t>& samples_ns) {
  return RoundOf(samples_ns, static_cast<int64_t>(samples_ns.size()), 0,
                 std::accumulate(samples_ns.begin(), samples_ns.end(), int64_t{0}));
}

PackageJob MakeJob(const PackageThere& there, const std::map<std::string, Tensor>& inputs, bool random_params) {
  PackageJob job = JobWith(there, inputs, kAnyRuns);
  if (!random_params) return job;
  PackageJob random =
      MakePackageJob(there.package->plan(), there.package->lib(), there.package->params(), there.threads, kAnyRuns);
  random.inputs = job.inputs;
  ShowExtents(random.plan);
  random.timing = job.timing;
  return random;
}

TimedPackage TimedOf(const PackageThere& there, const PackageTurns& turns) {
  TimedPackage timed;
  timed.path = there.path;
  timed.package = there.package;
  timed.threads = there.threads;
  timed.samples_ns = turns.SamplesNs();
  timed.runs = static_cast<int64_t>(timed.samples_ns.size());
  timed.call_ns = turns.call_ns();
  for (const std::vector<int64_t>& job_ns : turns.jobs_ns()) timed.rounds.push_back(RoundOfJob(job_ns));
  return timed;
}

// Quick models have many jobs, so consecutive ones become one round.
void Gather(TimedPackage& timed, int rounds) {
  if (timed.rounds.size() <= size_t{kMostBenchRounds}) return;
  const auto samples = static_cast<int64_t>(timed.samples_ns.size());
  timed.rounds.clear();
  for (int i = 0; i < rounds; ++i) {
    const std::vector<int64_t> part(timed.samples_ns.begin() + samples * i / rounds,
                                    timed.samples_ns.begin() + samples * (i + 1) / rounds);
    timed.rounds.push_back(RoundOfJob(part));
  }
}

}  // namespace

std::vector<TimedPackage> TimePackagesThere(const std::vector<std::string>& paths, const TimePackagesOptions& options,
                                            bool random_params, Runner& runner, Environment* machine) {
  *machine = runner.Describe();
  std::vector<PackageThere> there;
  for (const std::string& path : paths) {
    const InputShapes shapes = ShapesAsked(options.inputs, path);
    there.push_back(ForMachine(path, Package::Inspect(path, RunsOn(*machine), shapes), options.threads, *machine));
  }
  const JobGroup group(runner);
  const TurnLimits limits{options.runs, options.min_time_ns, options.rounds};
  std::vector<PackageTurns> turns;
  std::vector<Extents> extents;
  for (const PackageThere& each : there) {
    const std::vector<InputSpec> specs = InputSpecs(*each.package);
    const std::map<std::string, Tensor> inputs = MakeInputs(specs, options.inputs);
    extents.push_back(ExtentsOf(specs, inputs));
    PackageJob job = MakeJob(each, inputs, random_params);
    job.group = group.number();
    turns.emplace_back(each.path, std::move(job), limits, runner);
  }
  TakeTurns(turns);
  std::vector<TimedPackage> timed;
  for (size_t i = 0; i < there.size(); ++i) {
    timed.push_back(TimedOf(there[i], turns[i]));
    timed.back().extents = extents[i];
    Gather(timed.back(), options.rounds);
  }
  return timed;
}

}  // namespace hone
