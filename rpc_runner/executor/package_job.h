// Runs a built model from its package and times it.
#pragma once

#include <string>
#include <string_view>

#include "rpc_runner/executor/job_child.h"
#include "rpc_runner/executor/nursery.h"
#include "rpc_runner/machine/core_lock.h"
#include "rpc_runner/runner.h"

namespace hone {

// A job that times a package on `threads` threads, from its plan, lib and params sections. Inputs are random.
// Parameters are random too, except those that must be exact; if these exceed a frame, the job has all parameters. The
// memory limit follows from the plan.
PackageJob MakePackageJob(const Plan& plan, std::string_view lib, std::string_view params, int threads, int runs);

// Why the job cannot be run here; empty if it can. `cores`: the number that the runner may use. Any input is allowed.
std::string CheckPackageJob(const PackageJob& job, int cores);

// The total size of the plan's outputs; -1 if the plan is invalid.
int64_t OutputBytes(const Plan& plan);

// Runs the job, whose blobs are `data`, in a child of its own, and times it while it holds the lock. pin: see
// ChildTask. The environment of the result is empty. Only throws ParentGone and NurseryGone.
JobResult RunPackageJob(const PackageJob& job, const PackageData& data, Nursery& nursery, bool pin, CoreLock& lock);

}  // namespace hone
