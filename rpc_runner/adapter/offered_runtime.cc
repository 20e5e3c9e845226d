#include "rpc_runner/adapter/offered_runtime.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/text/parse_number.h"
#include "core/text/printable.h"
#include "rpc_runner/adapter/adapter.h"
#include "rpc_runner/process/spawned_program.h"

namespace hone {
namespace {

constexpr int64_t kHelloNs = 60'000'000'000;
constexpr size_t kMostNameBytes = 64;

std::string FolderOf(const std::string& path) { return path.substr(0, path.rfind('/')); }

// The path with all links followed; the path itself if it is missing.
std::string RealPath(const std::string& path) {
  char* const found = realpath(path.c_str(), nullptr);
  std::string real = found == nullptr ? path : found;
  free(found);
  return real;
}

// The path of the program that a shell would run by this name.
std::string InPath(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  const char* const path = std::getenv("PATH");
  for (const std::string_view folder : Split(path == nullptr ? "/usr/bin" : path, ':')) {
    const std::string file = std::string(folder) + "/" + program;
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return program;
}

// Adds the installation around bin/python, and that of the Python which a virtual environment links to.
void ShowPython(const std::string& python, std::vector<std::string>& reads) {
  for (const std::string& file : {python, RealPath(python)}) {
    if (file.find('/') != std::string::npos) reads.push_back(FolderOf(FolderOf(file)));
  }
}

}  // namespace

std::string AdaptersFolder() { return FolderOf(FolderOf(ThisProgramsPath())) + "/share/hone/adapters"; }

std::string InstalledAdapter(const std::string& runtime) { return AdaptersFolder() + "/" + runtime + "_adapter.py"; }

OfferedRuntime ParseOfferedRuntime(const std::string& text, AdapterSandbox sandbox) {
  const size_t equals = text.find('=');
  OfferedRuntime offered{text.substr(0, equals), {}, std::move(sandbox)};
  const std::string& name = offered.runtime;
  if (name.empty() || name.size() > kMostNameBytes || name == "hone" ||
      name.find_first_of(",:/= \t\n") != std::string::npos) {
    throw Error(
        ExitCode::kUsage,
        fmt::format("--runtime {}: NAME=PROGRAM would be right, as in onnxruntime=/opt/ort/adapter, or the NAME "
                    "of an installed adapter; hone itself is always offered",
                    text));
  }
  const std::string program = RealPath(equals == std::string::npos ? InstalledAdapter(name) : text.substr(equals + 1));
  if (access(program.c_str(), R_OK) != 0) {
    throw Error(ExitCode::kNoInput, fmt::format("--runtime {}: there is no adapter {}", text, program));
  }
  offered.sandbox.reads.push_back(FolderOf(program));
  offered.words = {program};
  if (program.ends_with(".py")) {
    const char* const named = std::getenv("HONE_PYTHON");
    const std::string python = InPath(named == nullptr || *named == 0 ? "python3" : named);
    ShowPython(python, offered.sandbox.reads);
    offered.words = {python, "-B", program};
  }
  return offered;
}

void AskOffered(OfferedRuntime& offered) {
  Adapter adapter({offered.runtime, InSandbox(offered.sandbox, offered.words)}, kHelloNs, {});
  offered.told = {{"runtime", offered.runtime},
                  {"name", Shortened(Printable(adapter.name()), kMostNameBytes)},
                  {"version", Shortened(Printable(adapter.version()), kMostNameBytes)}};
  adapter.Bye();
}

std::string NotOffered(const std::string& runtime, const std::vector<std::string>& names) {
  std::string offered;
  for (const std::string& name : names) offered += (offered.empty() ? "" : ", ") + name;
  return fmt::format("this runner offers no runtime {}; it offers {} (hone-runner --runtime)",
                     Shortened(Printable(runtime), kMostNameBytes), offered.empty() ? "none" : offered);
}

}  // namespace hone
