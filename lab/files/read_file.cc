#include "lab/files/read_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>

#include "core/error.h"
#include "core/hash/hash.h"
#include "runtime/load/mapped_bytes.h"

namespace hone {

bool IsThere(const std::string& path) {
  std::error_code error;
  const bool there = std::filesystem::exists(path, error);
  if (error == std::errc::permission_denied) {
    throw Error(ExitCode::kNotAuthorised,
                fmt::format("{} may not be looked at: a folder on its way may not be entered", path));
  }
  return there;
}

std::string ReadFile(const std::string& path, InputFile::Use use) {
  const InputFile file(path, false, use);
  std::string bytes;
  std::array<char, size_t{1} << 16> piece;
  for (;;) {
    const ssize_t count = read(file.fd(), piece.data(), piece.size());
    if (count == 0) return bytes;
    if (count > 0) {
      bytes.append(piece.data(), static_cast<size_t>(count));
    } else if (errno != EINTR) {
      throw Error(ExitCode::kIo, fmt::format("{} cannot be read to its end", path));
    }
  }
}

std::string Sha256OfFile(const std::string& path) {
  return IsThere(path) ? Sha256Hex(MappedBytes::FromFile(path).view()) : "";
}

}  // namespace hone
