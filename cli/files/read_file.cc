#include "cli/files/read_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/error.h"

namespace hone {

bool IsThere(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

std::string ReadFile(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw Error(ExitCode::kNoInput, fmt::format("{} is a folder; a file is right", path));
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(ExitCode::kNoInput, fmt::format("there is no file {}, or it may not be read", path));
  std::ostringstream bytes;
  bytes << in.rdbuf();
  if (in.bad() || bytes.fail()) throw Error(ExitCode::kIo, fmt::format("{} cannot be read to its end", path));
  return std::move(bytes).str();
}

}  // namespace hone
