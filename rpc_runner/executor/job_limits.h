// What a job's description may ask for, checked before anything is mapped.
#pragma once

#include <cstdint>
#include <string>

#include "core/artifact.h"
#include "rpc_runner/runner.h"

namespace hone {

inline constexpr size_t kMaxOperands = 16;
inline constexpr size_t kMaxStages = 64;
inline constexpr size_t kMaxSeeds = 16;

// Why the job cannot be run here, or empty. `cores`: that the runner may use. Any values may be given.
std::string CheckJob(const KernelJob& job, int cores);

// From one image to the next: PhysicalBytes over the first dim for data, residual and output; 0 for weights and bias.
int64_t BatchStrideBytes(const KernelOperand& operand);
// Bytes that a worker's workspace takes: the most of any stage, rounded up to 64.
int64_t WorkerStrideBytes(const Artifact& artifact);
// What the kernel takes on `workers` workers: operands and workspaces. Throws Error(kBadData) as above.
int64_t NeededBytes(const Artifact& artifact, int workers);

}  // namespace hone
