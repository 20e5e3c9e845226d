#include "lab/adapter/known_adapters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "core/error.h"
#include "core/text/parse_number.h"
#include "core/text/printable.h"
#include "core/text/spelling.h"
#include "lab/files/near_files.h"
#include "lab/files/read_file.h"
#include "rpc_runner/adapter/offered_runtime.h"
#include "rpc_runner/process/spawned_program.h"

namespace hone {
namespace {

constexpr const char* kEnding = "_adapter.py";

// Short names that people use.
std::string FullName(const std::string& runtime) {
  std::string name = runtime;
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (name == "ort" || name == "onnx" || name == "onnx-runtime") return "onnxruntime";
  return name == "ov" ? "openvino" : name;
}

// Why no runtime has this name, and what would be right.
std::string WhyNone(const std::string& runtime, const std::vector<std::string>& known) {
  const std::string all =
      fmt::format("{} or the path of an adapter (docs/reference/adapter.md)", fmt::join(known, ", "));
  if (runtime.empty()) return fmt::format("the name of a runtime is empty; {} would be right", all);
  if (runtime.ends_with(".onnx") || runtime.ends_with(".hone") || runtime.ends_with(".relay")) {
    return fmt::format("{} is no runtime; {} would be right", runtime, all);
  }
  if (std::ranges::count(known, FullName(runtime)) > 0) {
    return fmt::format("there is no runtime {}; did you mean {}?", runtime, FullName(runtime));
  }
  if (IsThere(runtime)) return fmt::format("there is no runtime {0}; did you mean the adapter ./{0}?", runtime);
  const std::string meant = DidYouMean(runtime, known);
  return fmt::format("there is no runtime {}{}", runtime,
                     meant.empty() ? fmt::format("; {} would be right", all) : meant);
}

void RequireProgram(const std::string& path) {
  if (!IsThere(path)) {
    throw Error(ExitCode::kNoInput, fmt::format("there is no adapter {}{}", path, FilesHere(path, ".py")));
  }
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw Error(ExitCode::kNoInput, fmt::format("{} is a folder; the path of an adapter would be right", path));
  }
  if (!path.ends_with(".py") && access(path.c_str(), X_OK) != 0) {
    throw Error(ExitCode::kNoInput,
                fmt::format("{0} is no program; `chmod +x {1}` makes a script one", path, ShellWord(path)));
  }
}

std::vector<std::string> WordsFor(const std::string& runtime, const std::string& python) {
  if (runtime == kHoneRuntime) return {ThisProgramsPath(), "runtime", "serve"};
  const bool path = runtime.find('/') != std::string::npos;
  if (!path) {
    const std::vector<std::string> known = KnownRuntimes();
    if (std::find(known.begin(), known.end(), runtime) == known.end()) {
      throw Error(ExitCode::kUsage, WhyNone(runtime, known));
    }
    return {python, "-B", InstalledAdapter(runtime)};
  }
  RequireProgram(runtime);
  if (runtime.ends_with(".py")) return {python, "-B", runtime};
  return {runtime};
}

AskedRuntime ParseAsked(const std::string& text) {
  const std::vector<std::string_view> parts = Split(text, ':');
  AskedRuntime asked{text, std::string(parts[0]), {}};
  for (size_t i = 1; i < parts.size(); ++i) {
    const size_t equals = parts[i].find('=');
    if (equals == std::string_view::npos || equals == 0) {
      throw Error(ExitCode::kUsage,
                  fmt::format("runtime {}: RUNTIME:NAME=VALUE would be right, as openvino:precision=default", text));
    }
    asked.settings[std::string(parts[i].substr(0, equals))] = parts[i].substr(equals + 1);
  }
  return asked;
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
  const AskedRuntime asked = ParseAsked(text);
  return {text, WordsFor(asked.runtime, python), asked.settings, asked.runtime == kHoneRuntime};
}

std::vector<AskedRuntime> ParseAskedRuntimes(const std::string& text) {
  std::vector<AskedRuntime> asked;
  for (const std::string_view each : Split(text, ',')) asked.push_back(ParseAsked(std::string(each)));
  return asked;
}

std::vector<AdapterCommand> ParseRuntimes(const std::string& text, const std::string& python) {
  std::vector<AdapterCommand> commands;
  for (const AskedRuntime& each : ParseAskedRuntimes(text)) commands.push_back(ParseRuntime(each.text, python));
  return commands;
}

}  // namespace hone
