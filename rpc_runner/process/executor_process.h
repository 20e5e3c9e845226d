// The executor as a child process, and the options that it is started with.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rpc_runner/process/spawned_program.h"

namespace hone {

// Options given to an executor by the process that starts it. No job can loosen them.
struct ExecutorOptions {
  std::vector<int> cores = {};               // CPUs to time on; empty: all allowed
  int64_t max_deadline_ns = 60'000'000'000;  // of one candidate; a longer deadline in a job is cut to this
  // For one job, including what the executor keeps for it; 0: three quarters of the machine's.
  int64_t max_memory_bytes = 0;
  int64_t max_package_bytes = 0;  // parameters and inputs of one package job; 0: a quarter of the machine's memory
  // Parameters and inputs that are kept by their hash; 0: an eighth of the machine's memory.
  int64_t max_cache_bytes = 0;
  std::string user = {};  // the user that candidates run as if root started this; empty: nobody
  // Words of Environment.isolation, separated by commas. LocalRunner refuses to begin if one is missing.
  std::string required_isolation = {};
  std::string program = {};  // hone-runner's file; empty: as FindRunnerProgram finds it
  // The emulator and its arguments, separated by blanks, under which this program runs. The executor must be started
  // under it too, because the system cannot run another architecture's file by itself. Empty if not emulated.
  std::string emulator = {};
};

// The options as words for ExecutorOptionFrom, except required_isolation, which is checked after the start.
std::vector<std::string> ExecutorWords(const ExecutorOptions& options);
// Takes --cores SET (CoresOfThisMachine), --max-deadline TIME, --max-memory SIZE, --max-package SIZE, --max-cache SIZE,
// --user NAME, --emulator COMMAND and --require-isolation WORDS. Returns false if `name` is none of them. Throws
// Error(kUsage) for an invalid value.
bool ExecutorOptionFrom(std::string_view name, std::string_view value, ExecutorOptions* options);
// Parses "512M" or "4G" to bytes. Throws Error(kUsage) naming the text if it is invalid or zero.
int64_t ParseMemorySize(std::string_view text);
// Throws Error(kBadConfig) naming both lists if a word of `required` is not one of `given`.
void RequireIsolation(std::string_view required, std::string_view given);

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
