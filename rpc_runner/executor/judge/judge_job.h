// Turns exceptions of a job into its result.
#pragma once

#include <functional>

#include "rpc_runner/runner.h"

namespace hone {

// Calls `run`, which fills in the result. An exception becomes the fate: Cancelled if the machine is to blame
// (core/failure.h), otherwise Unsupported. wall_ns is the time it took. Only throws ParentGone and NurseryGone.
JobResult JudgeJob(const std::function<void(JobResult*)>& run);

}  // namespace hone
