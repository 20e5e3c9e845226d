#include "lab/adapter/known_adapters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "core/text/parse_number.h"
#include "core/text/spelling.h"
#include "lab/files/read_file.h"
#include "rpc_runner/process/spawned_program.h"

namespace hone {
namespace {

constexpr const char* kEnding = "_adapter.py";

// share/hone/adapters beside the programs' folder.
std::filesystem::path AdaptersFolder() {
  return std::filesystem::path(ThisProgramsPath()).parent_path().parent_path() / "share" / "hone" / "adapters";
}

std::vector<std::string> WordsFor(const std::string& runtime, const std::string& python) {
  if (runtime == kHoneRuntime) return {ThisProgramsPath(), "runtime", "serve"};
  const bool path = runtime.find('/') != std::string::npos;
  if (!path) {
    const std::vector<std::string> known = KnownRuntimes();
    if (std::find(known.begin(), known.end(), runtime) == known.end()) {
      throw Error(ExitCode::kUsage, fmt::format("there is no runtime {}{}; {} or the path of an adapter would be right",
                                                runtime, DidYouMean(runtime, known), fmt::join(known, ", ")));
    }
    return {python, "-B", (AdaptersFolder() / (runtime + kEnding)).string()};
  }
  if (!IsThere(runtime)) throw Error(ExitCode::kNoInput, fmt::format("there is no adapter {}", runtime));
  if (runtime.ends_with(".py")) return {python, "-B", runtime};
  return {runtime};
}

}  // namespace

std::vector<std::string> KnownRuntimes() {
  std::vector<std::string> names = {kHoneRuntime};
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(AdaptersFolder(), ignored)) {
    const std::string file = entry.path().filename().string();
    if (file.ends_with(kEnding) && !file.starts_with("serve")) {
      names.push_back(file.substr(0, file.size() - std::string(kEnding).size()));
    }
  }
  std::sort(names.begin() + 1, names.end());
  return names;
}

AdapterCommand ParseRuntime(const std::string& text, const std::string& python) {
  const std::vector<std::string_view> parts = Split(text, ':');
  AdapterCommand command{text, WordsFor(std::string(parts[0]), python), {}, parts[0] == kHoneRuntime};
  for (size_t i = 1; i < parts.size(); ++i) {
    const size_t equals = parts[i].find('=');
    if (equals == std::string_view::npos || equals == 0) {
      throw Error(ExitCode::kUsage,
                  fmt::format("runtime {}: RUNTIME:NAME=VALUE would be right, as openvino:precision=default", text));
    }
    command.settings[std::string(parts[i].substr(0, equals))] = parts[i].substr(equals + 1);
  }
  return command;
}

std::vector<AdapterCommand> ParseRuntimes(const std::string& text, const std::string& python) {
  std::vector<AdapterCommand> commands;
  for (const std::string_view each : Split(text, ',')) commands.push_back(ParseRuntime(std::string(each), python));
  return commands;
}

}  // namespace hone
