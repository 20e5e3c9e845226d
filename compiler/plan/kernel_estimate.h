// The estimated time of a kernel without a measured one.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/compile_kernel.h"
#include "core/plan.h"
#include "core/target.h"

namespace hone {

// The machine for a network's kernels: where a cache holds all of its parameters, they are read from there in each run
// but the first, and not from memory.
MachineModel ForParams(MachineModel machine, int64_t params_bytes);

// The time of one call in nanoseconds, with machine.threads workers. With knobs it is the schedule's estimate of the
// config; without, a roofline: the code's cycles (CodeCost) shared among the workers, or the bytes of its operands from
// the cache that holds them all, whichever takes longer. The machine is what its model says, not measured. nullopt
// where the data decide how often a loop runs.
std::optional<double> EstimateNs(const Dispatch& dispatch, const CompiledKernel& kernel, const MachineModel& machine);

}  // namespace hone
