// A job's result, whatever happens while it is run.
#pragma once

#include <functional>

#include "rpc_runner/runner.h"

namespace hone {

// Calls `run`, which fills in the result. What it throws becomes the fate: Cancelled when the machine is to blame
// (core/failure.h), else Unsupported. wall_ns is the time it took. Throws ParentGone and NurseryGone alone.
JobResult JudgeJob(const std::function<void(JobResult*)>& run);

}  // namespace hone
