// The executor as a process of ours.
#pragma once

#include <string>

#include "rpc_runner/process/executor_options.h"
#include "rpc_runner/process/spawned_program.h"

namespace hone {

// The hone-runner program: beside the running program, else $HONE_RUNNER_PROGRAM. Throws Error(kNoRunner) naming both
// places.
std::string FindRunnerProgram();

// A spawned `hone-runner --executor`.
class ExecutorProcess : public SpawnedProgram {
 public:
  // Throws Error(kNoRunner) when it cannot be started.
  explicit ExecutorProcess(const ExecutorOptions& options);
};

}  // namespace hone
