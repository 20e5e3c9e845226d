// The estimated time of a kernel without a measured time.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/compile_kernel.h"
#include "core/machine/target.h"
#include "core/package/plan.h"

namespace hone {

// The machine model for a network's kernels. If a cache holds all parameters of the network, every run but the first
// reads them from there and not from memory.
MachineModel ForParams(MachineModel machine, int64_t params_bytes);

// The time of one call in nanoseconds, with machine.threads workers. With knobs it is the schedule's estimate of the
// config. Without knobs it is a roofline, the longer of two times. One is the code's cycles (CodeCost), shared by the
// workers. The other is the bytes of its operands at the rate of the cache that holds them all. The machine's rates
// come from its model, not from measurements. nullopt if data decide how often a loop runs.
std::optional<double> EstimateNs(const Dispatch& dispatch, const CompiledKernel& kernel, const MachineModel& machine);

}  // namespace hone
