// The runner's own bounds, which no job can loosen.
#pragma once

#include <cstdint>
#include <string>

#include "core/measurement.h"
#include "rpc_runner/process/executor_options.h"
#include "rpc_runner/runner.h"

namespace hone {

struct JobCaps {
  int64_t deadline_ns = 0;    // of one candidate or package; a job's references together get twice that
  int64_t memory_bytes = 0;   // of all that a job makes the executor and its child take
  int64_t package_bytes = 0;  // of the parameters and inputs of one package job
  int64_t cache_bytes = 0;    // of those that are kept
};

// The least memory that the cgroup named by `membership` (the text of /proc/self/cgroup) and those above it may take,
// with cgroup file systems mounted under `root`. Versions 2 and 1. INT64_MAX when there is no bound.
int64_t CgroupMemoryBytes(const std::string& membership, const std::string& root);

// By the options; without a bound of memory among them three quarters of what the machine, or the container, has, a
// quarter of that for a package and an eighth for the cache.
JobCaps CapsOf(const ExecutorOptions& options);
// Lowers a job's limits to the caps.
void ApplyCaps(const JobCaps& caps, TimingPolicy* timing);
// Tells in a timed-out measurement's message when the deadline was the runner's and not the `asked_ns` of the job.
void NameCap(const JobCaps& caps, int64_t asked_ns, Measurement* measurement);

// What the executor itself fills for the job: its inputs for every seed, plain and packed, and what their outputs are
// held against. Throws Error(kBadData) as PhysicalBytes does; at most INT64_MAX.
int64_t ExecutorBytes(const KernelJob& job);

}  // namespace hone
