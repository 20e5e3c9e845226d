// A built model from package to times.
#pragma once

#include <string>
#include <string_view>

#include "rpc_runner/executor/job_child.h"
#include "rpc_runner/executor/nursery.h"
#include "rpc_runner/machine/core_lock.h"
#include "rpc_runner/runner.h"

namespace hone {

// What a runner needs of a package to time it on `threads` threads: its plan, lib and params sections. The job has
// random inputs, and random parameters unless those that must be exact are more than a frame takes: then it has all.
// The memory limit is set by what the plan asks for.
PackageJob MakePackageJob(const Plan& plan, std::string_view lib, std::string_view params, int threads, int runs);

// Why the job cannot be run here, or empty. `cores`: that the runner may use. Any values may be given.
std::string CheckPackageJob(const PackageJob& job, int cores);

// Of the plan's outputs together. -1 for a plan that says nonsense of them.
int64_t OutputBytes(const Plan& plan);

// Runs the job, whose blobs are `data`, in a child of its own, and times it while it holds the lock. pin: see
// ChildTask. The environment of the result is empty. Never throws but ParentGone and NurseryGone.
JobResult RunPackageJob(const PackageJob& job, const PackageData& data, Nursery& nursery, bool pin, CoreLock& lock);

}  // namespace hone
