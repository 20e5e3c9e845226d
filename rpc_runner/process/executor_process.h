// The executor as a child process.
#pragma once

#include <string>

#include "rpc_runner/process/executor_options.h"
#include "rpc_runner/process/spawned_program.h"

namespace hone {

// Finds the hone-runner program: beside the running program, otherwise $HONE_RUNNER_PROGRAM. Throws Error(kNoRunner)
// naming both places.
std::string FindRunnerProgram();

// A spawned `hone-runner --executor`.
class ExecutorProcess : public SpawnedProgram {
 public:
  // Throws Error(kNoRunner) if it cannot be started.
  explicit ExecutorProcess(const ExecutorOptions& options);
};

}  // namespace hone
