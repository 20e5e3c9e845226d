#include "rpc_runner/process/executor_process.h"

#include <string>
#include <string_view>
#include <vector>

#include "core/text/parse_number.h"

namespace hone {
namespace {

// The words of the emulator, if any, then the program and its options.
std::vector<std::string> Command(const ExecutorOptions& options) {
  std::vector<std::string> words;
  for (std::string_view word : Split(options.emulator, ' ')) {
    if (!word.empty()) words.emplace_back(word);
  }
  const std::string program = options.program.empty() ? FindRunnerProgram() : options.program;
  words.insert(words.end(), {program, "--executor", std::to_string(SpawnedProgram::kFd)});
  const std::vector<std::string> more = ExecutorWords(options);
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::vector<std::string> AfterFirst(const std::vector<std::string>& words) { return {words.begin() + 1, words.end()}; }

}  // namespace

std::string FindRunnerProgram() { return FindProgram("hone-runner", "HONE_RUNNER_PROGRAM"); }

ExecutorProcess::ExecutorProcess(const ExecutorOptions& options)
    // A candidate's process begins as a copy of the executor's start, so it can read no variable that is left out here.
    : SpawnedProgram(Command(options).front(), AfterFirst(Command(options)), -1, Variables::kToStart) {}

}  // namespace hone
