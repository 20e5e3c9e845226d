// Limits of a job's description, checked before anything is mapped.
#pragma once

#include <cstdint>
#include <string>

#include "core/artifact.h"
#include "rpc_runner/runner.h"

namespace hone {

inline constexpr size_t kMaxOperands = 16;
inline constexpr size_t kMaxStages = 64;
inline constexpr size_t kMaxSeeds = 16;

// Why the job cannot be run here; empty if it can. `cores`: the number that the runner may use. Any input is allowed.
std::string CheckJob(const KernelJob& job, int cores);

// The distance between images: PhysicalBytes over the first dim for data, residual and output; 0 for weights and bias.
int64_t BatchStrideBytes(const KernelOperand& operand);
// A worker's workspace in bytes: the largest of any stage, rounded up to 64.
int64_t WorkerStrideBytes(const Artifact& artifact);
// Bytes of operands and workspaces on `workers` workers. Throws Error(kBadData) as above.
int64_t NeededBytes(const Artifact& artifact, int workers);

}  // namespace hone
