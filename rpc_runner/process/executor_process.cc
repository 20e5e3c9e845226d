#include "rpc_runner/process/executor_process.h"

#include <string>
#include <vector>

namespace hone {
namespace {

std::vector<std::string> Words(const ExecutorOptions& options) {
  std::vector<std::string> words = {"--executor", std::to_string(SpawnedProgram::kFd)};
  const std::vector<std::string> more = ExecutorWords(options);
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

std::string FindRunnerProgram() { return FindProgram("hone-runner", "HONE_RUNNER_PROGRAM"); }

ExecutorProcess::ExecutorProcess(const ExecutorOptions& options)
    : SpawnedProgram(FindRunnerProgram(), Words(options)) {}

}  // namespace hone
