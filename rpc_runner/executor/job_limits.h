// Limits of a job: of its description, checked before anything is mapped, and the runner's own, which no job can
// loosen.
#pragma once

#include <cstdint>
#include <string>

#include "core/artifact.h"
#include "core/measurement.h"
#include "rpc_runner/process/executor_process.h"
#include "rpc_runner/runner.h"

namespace hone {

inline constexpr size_t kMaxOperands = 16;
inline constexpr size_t kMaxStages = 64;
inline constexpr size_t kMaxSeeds = 16;

// Why the job cannot be run here; empty if it can. `cores`: the number that the runner may use. Any input is allowed.
std::string CheckJob(const KernelJob& job, int cores);

// CheckJob's part for threads, deadline and memory.
std::string CheckJobLimits(const TimingPolicy& timing, int cores);

// The distance between images: PhysicalBytes over the first dim for data, residual and output; 0 for weights and bias.
int64_t BatchStrideBytes(const KernelOperand& operand);
// A worker's workspace in bytes: the largest of any stage, rounded up to 64.
int64_t WorkerStrideBytes(const Artifact& artifact);
// Bytes of operands and workspaces on `workers` workers. Throws Error(kBadData) as above.
int64_t NeededBytes(const Artifact& artifact, int workers);

// The runner's own limits.
struct JobCaps {
  int64_t deadline_ns = 0;    // for one candidate or package; a job's references together get twice that
  int64_t memory_bytes = 0;   // for all memory of a job in the executor and its child
  int64_t package_bytes = 0;  // for the parameters and inputs of one package job
  int64_t cache_bytes = 0;    // for parameters and inputs that are kept between jobs
};

// The least memory limit of the cgroup named by `membership` (the text of /proc/self/cgroup) and of those above it.
// Cgroup file systems, version 1 or 2, are mounted under `root`. INT64_MAX if there is no limit.
int64_t CgroupMemoryBytes(const std::string& membership, const std::string& root);

// Bytes of memory that this machine, and the container around it, have for all processes.
int64_t MachineBytes();

// The caps from the options. Defaults are fractions of the machine's or container's memory: three quarters for a job, a
// quarter for a package and an eighth for the cache.
JobCaps CapsOf(const ExecutorOptions& options);
// Lowers a job's limits to the caps.
void ApplyCaps(const JobCaps& caps, TimingPolicy* timing);
// Adds to a timed-out measurement's message that the deadline was the runner's, not the `asked_ns` of the job.
void NameCap(const JobCaps& caps, int64_t asked_ns, Measurement* measurement);

// Bytes that the executor fills for the job: inputs for every seed, plain and packed, and their expected outputs. At
// most INT64_MAX. Throws Error(kBadData) as PhysicalBytes does.
int64_t ExecutorBytes(const KernelJob& job);

}  // namespace hone
