// A package's runs on the machine of a runner, a job at a time, so that packages can take turns there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rpc_runner/runner.h"

namespace hone {

// When there are enough runs, and how many jobs they are shared by. A job is a process of its own there.
struct TurnLimits {
  int64_t runs = 0;                     // exactly so many; 0: at least 10, and until they took min_time_ns
  int64_t min_time_ns = 1'000'000'000;  // of all runs together
  int rounds = 10;                      // jobs at least, besides a first one that tells what a run takes
};

class PackageTurns {
 public:
  // `name` is the package's in messages. The job's runs are set here; `runner` must outlive the turns, and no other job
  // may be under way there while one is taken.
  PackageTurns(std::string name, PackageJob job, const TurnLimits& limits, Runner& runner);

  // One job. Throws Error as RequireOk does.
  void Take();
  bool Enough() const;

  const std::string& name() const { return name_; }
  int threads() const { return job_.timing.threads; }
  // Of the jobs, in their order: a run's time per sample.
  const std::vector<std::vector<int64_t>>& jobs_ns() const { return jobs_ns_; }
  // All of them.
  std::vector<int64_t> SamplesNs() const;
  // The least of each of the plan's calls; empty before the first turn.
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

// Each takes turns until all have enough.
void TakeTurns(std::vector<PackageTurns>& turns);

}  // namespace hone
