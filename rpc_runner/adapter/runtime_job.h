// Runs a model in a runtime that this runner offers.
#pragma once

#include <atomic>
#include <vector>

#include "rpc_runner/adapter/offered_runtime.h"
#include "rpc_runner/machine/core_lock.h"
#include "rpc_runner/runner.h"

namespace hone {

// Starts the adapter in its sandbox on `cpus` (empty: those of this thread), loads the job's model, runs it and ends
// it. The adapter's times are held against the time that passed outside, and a fault becomes the fate: PolicyViolation
// for times that are not believed, Crashed otherwise. Samples are times of a run. The environment of the result is
// empty. Ends early, as Cancelled, when *stop is set. Never throws.
JobResult RunRuntimeJob(const RuntimeJob& job, const OfferedRuntime& offered, const std::vector<int>& cpus,
                        CoreLock& lock, const std::atomic<bool>& stop);

}  // namespace hone
