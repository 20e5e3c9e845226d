// The process that times candidates for a runner. It is exec'd and has a child for each job.
#pragma once

#include "rpc_runner/process/executor_process.h"

namespace hone {

// The main of the executor process: `hone-runner --executor FD`. Returns its exit code.
int ExecutorMain(int fd, const ExecutorOptions& options);

}  // namespace hone
