#include "rpc_runner/process/executor_process.h"

#include <fmt/format.h>

namespace hone {
namespace {

std::vector<std::string> Words(const std::vector<int>& cores) {
  std::vector<std::string> words = {"--executor", std::to_string(SpawnedProgram::kFd)};
  if (!cores.empty()) words.insert(words.end(), {"--cores", fmt::format("{}", fmt::join(cores, ","))});
  return words;
}

}  // namespace

std::string FindRunnerProgram() { return FindProgram("hone-runner", "HONE_RUNNER_PROGRAM"); }

ExecutorProcess::ExecutorProcess(const std::vector<int>& cores) : SpawnedProgram(FindRunnerProgram(), Words(cores)) {}

}  // namespace hone
