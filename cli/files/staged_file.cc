#include "cli/files/staged_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "core/error.h"

namespace hone {
namespace {

// mkostemp's 0600 would keep colleagues from reading what the umask lets them.
bool SetUsualMode(int fd) {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return ::fchmod(fd, 0666 & ~mask) == 0;
}

}  // namespace

void CannotWrite(const std::string& path, bool created) {
  throw Error(created ? ExitCode::kIo : ExitCode::kCannotCreate,
              fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

bool WriteAll(int fd, std::string_view bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<size_t>(n);
  }
  return true;
}

StagedFile::StagedFile(const std::string& path, const std::string& bytes)
    : StagedFile(
          path, [&bytes](std::ostream& out) { out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())); }) {}

StagedFile::StagedFile(const std::string& path, const StreamWriter& write) : path_(path) {
  std::string temporary = path + ".XXXXXX";
  const int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) CannotWrite(path, false);
  try {
    WriteThrough(
        [&](std::string_view bytes) {
          if (!WriteAll(fd, bytes)) CannotWrite(path, true);
        },
        write);
    if (!SetUsualMode(fd) || ::fsync(fd) != 0) CannotWrite(path, true);
  } catch (...) {
    ::close(fd);
    ::unlink(temporary.c_str());
    throw;
  }
  ::close(fd);
  temporary_ = std::move(temporary);
}

StagedFile::StagedFile(StagedFile&& other) noexcept
    : path_(std::move(other.path_)), temporary_(std::exchange(other.temporary_, "")) {}

StagedFile::~StagedFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void StagedFile::Commit() {
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) CannotWrite(path_, false);
  temporary_.clear();
}

}  // namespace hone
