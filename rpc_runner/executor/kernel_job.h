// One candidate from artifact to measurement.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "rpc_runner/executor/job_limits.h"
#include "rpc_runner/executor/judge/judge_results.h"
#include "rpc_runner/executor/memory/region_cache.h"
#include "rpc_runner/executor/nursery.h"
#include "rpc_runner/machine/core_lock.h"
#include "rpc_runner/runner.h"

namespace hone {

// Runs kernel jobs and keeps regions between them. Not thread-safe.
class KernelJobRunner {
 public:
  // pin: bind threads to the allowed cores. caps: the job limits. `nursery`, and `lock` of the timed cores, must
  // outlive this. Without a roof, as under an emulator, no time counts as too short.
  KernelJobRunner(Nursery& nursery, int cores, bool pin, const JobCaps& caps, CoreLock& lock,
                  std::optional<ArithmeticRoof> roof)
      : nursery_(nursery), cores_(cores), pin_(pin), caps_(caps), lock_(lock), roof_(std::move(roof)) {}

  // Checks and times the candidate. `reference_name` is the hash of the reference's bytes. The result has no id yet,
  // and an empty environment. Only throws ParentGone and NurseryGone.
  JobResult Run(const KernelJob& job, const std::string& reference_name);

 private:
  void RunChecked(const KernelJob& job, const std::string& reference_name, JobResult* result);
  std::shared_ptr<SharedRegion> OutputRegion(int64_t bytes);

  Nursery& nursery_;
  const int cores_;
  const bool pin_;
  const JobCaps caps_;
  CoreLock& lock_;
  std::optional<ArithmeticRoof> roof_;
  RegionCache cache_ = RegionCache::ForThisMachine();
  std::shared_ptr<SharedRegion> output_;  // the last job's, since the next output is often as large
};

}  // namespace hone
