#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <string>

#include "core/error.h"
#include "lab/files/npy.h"
#include "lab/verify/compare_nodes.h"
#include "lab/verify/value_table.h"

namespace hone {
namespace {

constexpr size_t kNumber = 5;  // length of "0012_"

bool IsNumbered(const std::string& file) {
  return file.size() > kNumber && file[kNumber - 1] == '_' && file.find_first_not_of("0123456789") == kNumber - 1;
}

// Files by name without the number; a file without a number has priority over one with a number.
std::map<std::string, std::string> FilesOf(const std::string& folder) {
  std::error_code error;
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string file = entry.path().filename().string();
    if (entry.path().extension() != ".npy") continue;
    files[file] = entry.path().string();
    if (IsNumbered(file)) files.try_emplace(file.substr(kNumber), entry.path().string());
  }
  const bool refused = error == std::errc::permission_denied;
  if (error)
    throw Error(refused ? ExitCode::kNotAuthorised : ExitCode::kNoInput,
                fmt::format("the folder {} cannot be read: {}", folder, error.message()));
  if (files.empty()) throw Error(ExitCode::kNoInput, fmt::format("the folder {} has no .npy file", folder));
  return files;
}

}  // namespace

ExpectedValue ExpectFiles(const std::string& folder) {
  return [files = FilesOf(folder)](const std::string& name) -> std::optional<Tensor> {
    const auto file = files.find(NpyFileName(name));
    return file == files.end() ? std::nullopt : std::optional(ReadNpy(file->second));
  };
}

}  // namespace hone
