#include "lab/machine/try_places.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace hone {
namespace {

std::string TryFile(const std::filesystem::path& folder) {
  std::string name = (folder / "hone-doctor-XXXXXX").string();
  const int fd = mkstemp(name.data());
  if (fd < 0) return fmt::format("{}: {}", folder.string(), std::strerror(errno));
  // A full disk accepts a file's name but no contents.
  const bool written = write(fd, name.data(), name.size()) == static_cast<ssize_t>(name.size());
  const std::string why = written ? "" : fmt::format("{}: {}", folder.string(), std::strerror(errno));
  close(fd);
  unlink(name.c_str());
  return why;
}

}  // namespace

std::string WhyNoFileIn(const std::filesystem::path& folder) {
  std::filesystem::path there = std::filesystem::absolute(folder);
  std::error_code error;
  while (!std::filesystem::exists(there, error) && !error && there.has_relative_path()) there = there.parent_path();
  return TryFile(there);
}

std::filesystem::path TemporaryFolder() {
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

}  // namespace hone
