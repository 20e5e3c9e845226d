// Runs a package on a runner's machine one job at a time, so that packages can take turns there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rpc_runner/runner.h"

namespace hone {

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
