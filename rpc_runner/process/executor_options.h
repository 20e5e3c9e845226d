// What whoever starts an executor says to it: nothing that a job says can loosen it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

struct ExecutorOptions {
  std::vector<int> cores = {};               // CPUs to time on; empty: all allowed
  int64_t max_deadline_ns = 60'000'000'000;  // of one candidate; a job that asks for more gets this
  int64_t max_memory_bytes = 0;   // of one job, what the executor keeps for it too; 0: three quarters of the machine's
  int64_t max_package_bytes = 0;  // parameters and inputs of one package job; 0: a quarter of the machine's memory
  int64_t max_cache_bytes = 0;    // of those that are kept by their hash; 0: an eighth of the machine's memory
  std::string user = {};          // that candidates run as when started by root; empty: nobody
  // Words of Environment.isolation, separated by commas, without which LocalRunner refuses to begin.
  std::string required_isolation = {};
  std::string program = {};  // hone-runner's file; empty: as FindRunnerProgram finds it
  // The program, and its words after blanks, under which this one runs and its executor must be started: a system does
  // not know by itself how to run another architecture's file. Empty: none, this is the machine itself.
  std::string emulator = {};
};

// The options as words for ExecutorOptionFrom. required_isolation is not among them: it is asked after.
std::vector<std::string> ExecutorWords(const ExecutorOptions& options);
// Takes --cores SET (CoresOfThisMachine), --max-deadline TIME, --max-memory SIZE, --max-package SIZE, --max-cache SIZE,
// --user NAME,
// --emulator COMMAND and --require-isolation WORDS. False when `name` is none of them. Throws Error(kUsage) for a value
// that is not right.
bool ExecutorOptionFrom(std::string_view name, std::string_view value, ExecutorOptions* options);
// "512M", "4G" in bytes. Throws Error(kUsage) naming the text; zero is refused.
int64_t ParseMemorySize(std::string_view text);
// Throws Error(kBadConfig) naming both when a word of `required` is not one of `given`.
void RequireIsolation(std::string_view required, std::string_view given);

}  // namespace hone
