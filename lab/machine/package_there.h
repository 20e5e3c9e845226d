// Runs a built package on a runner's machine, once or in turns with others; or once here.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/measurement.h"
#include "core/tensor.h"
#include "rpc_runner/runner.h"
#include "runtime/package.h"

namespace hone {

// A package that was inspected here and is to run there.
struct PackageThere {
  std::string path;  // the package's name in messages
  std::shared_ptr<const Package> package;
  int threads = 0;
};

// Whether the machine can run code for a target; selects a package in a file for several targets.
CanRun RunsOn(const Environment& machine);

// `threads` 0 means the machine's cores. Throws Error: kBadConfig, naming both, if that machine cannot run the package;
// kBadData if its parameters are damaged.
PackageThere ForMachine(const std::string& path, std::shared_ptr<const Package> package, int threads,
                        const Environment& machine);

// Makes the extents of free dimensions further inputs of the plan, because a runner gets whole inputs: each in its
// largest shape.
void ShowExtents(Plan& plan);

// A job with the package's own parameters and these inputs, one for each of the plan's. Parameters travel only if the
// runner has not kept them.
PackageJob JobWith(const PackageThere& there, const std::map<std::string, Tensor>& inputs, int runs);

// Throws Error if the job of this package failed: kNoRunner if the runner was lost, else kAnswerIsNo with its fate.
void RequireOk(const std::string& name, const JobResult& result);

struct RanThere {
  std::vector<Tensor> outputs;  // in the plan's order
  int64_t run_ns = 0;
  Environment machine;
};
// Runs the package once. Throws Error as RequireOk does.
RanThere RunThere(const PackageThere& there, const std::map<std::string, Tensor>& inputs, Runner& runner);

// The outputs of one run on this machine, in the plan's order. `inputs` may lack those that have a value from the
// start. Throws Error as Session does.
std::vector<Tensor> OutputsHere(const std::shared_ptr<const Package>& package, int threads,
                                const std::map<std::string, Tensor>& inputs);

// One runner of the key. Throws Error as MakeRemoteRunner does.
std::unique_ptr<Runner> OneRunner(RemoteRunnerOptions options);

// Runs a package on a runner's machine one job at a time, so that packages can take turns there.

// The required number of runs, and the number of jobs that share them. Each job is a process of its own there.
struct TurnLimits {
  int64_t runs = 0;                     // exact number; 0: at least 10, and until they took min_time_ns
  int64_t min_time_ns = 1'000'000'000;  // over all runs
  int rounds = 10;                      // least number of jobs, besides a first one that measures a run
};

// The runs of a job whose number the turns set.
inline constexpr int kAnyRuns = 1;

class PackageTurns {
 public:
  // `name` is the package's in messages. The job's runs are set here. `runner` must outlive the turns, and may have no
  // other job in progress during one.
  PackageTurns(std::string name, PackageJob job, const TurnLimits& limits, Runner& runner);

  // Runs one job. Throws Error as RequireOk does.
  void Take();
  bool Enough() const;

  const std::string& name() const { return name_; }
  int threads() const { return job_.timing.threads; }
  // The time of a run per sample, for each job in order.
  const std::vector<std::vector<int64_t>>& jobs_ns() const { return jobs_ns_; }
  // The samples of all jobs.
  std::vector<int64_t> SamplesNs() const;
  // The least time of each of the plan's calls; empty before the first turn.
  const std::vector<int64_t>& call_ns() const { return call_ns_; }

 private:
  int RunsNow() const;
  void Keep(const JobResult& result);

  std::string name_;
  PackageJob job_;
  TurnLimits limits_;
  Runner& runner_;
  std::vector<std::vector<int64_t>> jobs_ns_;
  std::vector<int64_t> call_ns_;
  int64_t runs_ = 0, spent_ns_ = 0;
};

// Lets the packages take turns until all have enough runs.
void TakeTurns(std::vector<PackageTurns>& turns);

}  // namespace hone
