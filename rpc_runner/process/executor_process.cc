#include "rpc_runner/process/executor_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/error.h"
#include "core/text/parse_number.h"
#include "rpc_runner/machine/core_set.h"
#include "rpc_runner/process/clock.h"

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

constexpr int64_t kMegabyte = int64_t{1} << 20;

}  // namespace

int64_t ParseMemorySize(std::string_view text) {
  const int64_t unit = text.ends_with('G') ? 1024 * kMegabyte : text.ends_with('M') ? kMegabyte : 0;
  const auto count = unit == 0 ? std::nullopt : ParseInteger(text.substr(0, text.size() - 1));
  if (!count || *count <= 0 || *count > std::numeric_limits<int64_t>::max() / unit) {
    throw Error(ExitCode::kUsage, fmt::format("'{}' is not a size of memory; 512M or 4G would be right", text));
  }
  return *count * unit;
}

std::vector<std::string> ExecutorWords(const ExecutorOptions& options) {
  std::vector<std::string> words;
  if (!options.cores.empty()) words.insert(words.end(), {"--cores", fmt::format("{}", fmt::join(options.cores, ","))});
  const int64_t deadline_ms = std::max<int64_t>(1, options.max_deadline_ns / kMillisecondNs);
  words.insert(words.end(), {"--max-deadline", fmt::format("{}ms", deadline_ms)});
  const auto add_size = [&words](const char* name, int64_t bytes) {
    if (bytes <= 0) return;
    words.insert(words.end(), {name, fmt::format("{}M", std::max<int64_t>(1, bytes / kMegabyte))});
  };
  add_size("--max-memory", options.max_memory_bytes);
  add_size("--max-package", options.max_package_bytes);
  add_size("--max-cache", options.max_cache_bytes);
  if (!options.user.empty()) words.insert(words.end(), {"--user", options.user});
  if (!options.emulator.empty()) words.insert(words.end(), {"--emulator", options.emulator});
  return words;
}

namespace {

// Parses an option's value. An Error then names the option.
int64_t Parsed(std::string_view name, std::string_view value, int64_t (*parse)(std::string_view)) {
  try {
    return parse(value);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", name, error.what()));
  }
}

}  // namespace

bool ExecutorOptionFrom(std::string_view name, std::string_view value, ExecutorOptions* options) {
  if (name == "--cores") {
    options->cores = CoresOfThisMachine(value);
  } else if (name == "--max-deadline") {
    options->max_deadline_ns = Parsed(name, value, ParseDuration);
  } else if (name == "--max-memory") {
    options->max_memory_bytes = Parsed(name, value, ParseMemorySize);
  } else if (name == "--max-package") {
    options->max_package_bytes = Parsed(name, value, ParseMemorySize);
  } else if (name == "--max-cache") {
    options->max_cache_bytes = Parsed(name, value, ParseMemorySize);
  } else if (name == "--user") {
    options->user = value;
  } else if (name == "--emulator") {
    options->emulator = value;
  } else if (name == "--require-isolation") {
    options->required_isolation = value;
  } else {
    return false;
  }
  return true;
}

void RequireIsolation(std::string_view required, std::string_view given) {
  if (required.empty()) return;
  const std::vector<std::string_view> words = Split(given, ',');
  for (const std::string_view word : Split(required, ',')) {
    if (std::find(words.begin(), words.end(), word) != words.end()) continue;
    throw Error(ExitCode::kBadConfig,
                fmt::format("isolation \"{}\" is required; this machine gives \"{}\": \"{}\" is missing", required,
                            given, word));
  }
}

std::string FindRunnerProgram() { return FindProgram("hone-runner", "HONE_RUNNER_PROGRAM"); }

ExecutorProcess::ExecutorProcess(const ExecutorOptions& options)
    // A candidate's process begins as a copy of the executor's start, so it can read no variable that is left out here.
    : SpawnedProgram(Command(options).front(), AfterFirst(Command(options)), -1, Variables::kToStart) {}

}  // namespace hone
