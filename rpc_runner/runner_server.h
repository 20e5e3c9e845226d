// The loop of a runner, over whatever measures for it.
#pragma once

#include <atomic>
#include <functional>

#include "rpc_runner/runner.h"
#include "rpc_runner/tracker/tracker.h"

namespace hone {

// ServeRunner with another executor. `poll_fd` names a descriptor that is readable when executor.Wait(0) may have
// something to do; it is asked before each wait.
void ServeExecutor(const RunnerServerOptions& options, Runner& executor, const std::function<int()>& poll_fd,
                   const std::atomic<bool>* stop);

}  // namespace hone
