#include "rpc_runner/keys/key_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "core/error.h"

namespace hone {
namespace {

constexpr off_t kMostKeyFileBytes = 1 << 20;

// Closes what it holds.
struct File {
  int fd;
  ~File() {
    if (fd >= 0) close(fd);
  }
};

[[noreturn]] void RefuseKeyFile(const std::string& path, const std::string& what, const std::string& why) {
  throw Error(ExitCode::kBadConfig, fmt::format("{} {} {}", what, path, why));
}

[[noreturn]] void ThrowCannotWrite(const std::string& path) {
  throw Error(ExitCode::kCannotCreate, fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

void Check(int fd, const std::string& path, Secrecy secrecy, const std::string& what) {
  struct stat status{};
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) RefuseKeyFile(path, what, "is not a regular file");
  if (status.st_uid != geteuid() && status.st_uid != 0) RefuseKeyFile(path, what, "belongs to another user");
  const mode_t against = secrecy == Secrecy::kSecret ? 0077 : 0022;
  if ((status.st_mode & against) != 0) {
    RefuseKeyFile(
        path, what,
        fmt::format("has mode {:04o}, so that others may {} it; chmod {} is right", status.st_mode & 07777,
                    secrecy == Secrecy::kSecret ? "read" : "change", secrecy == Secrecy::kSecret ? "600" : "go-w"));
  }
  if (status.st_size > kMostKeyFileBytes) RefuseKeyFile(path, what, "is longer than 1 MiB");
}

bool WriteAll(int fd, const std::string& bytes) {
  size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t n = write(fd, bytes.data() + written, bytes.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    written += static_cast<size_t>(n);
  }
  return true;
}

}  // namespace

bool KeyFileIsThere(const std::string& path) {
  if (access(path.c_str(), F_OK) == 0) return true;
  if (errno != EACCES) return false;
  throw Error(ExitCode::kNotAuthorised,
              fmt::format("{} may not be looked at: a folder on its way may not be entered", path));
}

std::string ReadKeyFile(const std::string& path, Secrecy secrecy, const std::string& what) {
  // O_NONBLOCK keeps open from waiting on a pipe without a writer.
  const File file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.fd < 0 && errno == EACCES)
    throw Error(ExitCode::kNotAuthorised, fmt::format("{} {} may not be read", what, path));
  if (file.fd < 0) RefuseKeyFile(path, what, fmt::format("cannot be read: {}", std::strerror(errno)));
  Check(file.fd, path, secrecy, what);
  std::string bytes;
  char part[4096];
  for (;;) {
    const ssize_t n = read(file.fd, part, sizeof(part));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) RefuseKeyFile(path, what, fmt::format("cannot be read: {}", std::strerror(errno)));
    if (n == 0) return bytes;
    bytes.append(part, static_cast<size_t>(n));
    if (bytes.size() > static_cast<size_t>(kMostKeyFileBytes)) RefuseKeyFile(path, what, "is longer than 1 MiB");
  }
}

void WriteKeyFile(const std::string& path, const std::string& bytes, Secrecy secrecy) {
  std::string temporary = path + ".XXXXXX";
  {
    const File file{mkostemp(temporary.data(), O_CLOEXEC)};
    if (file.fd < 0) ThrowCannotWrite(path);
    const mode_t mode = secrecy == Secrecy::kSecret ? 0600 : 0644;
    if (fchmod(file.fd, mode) == 0 && WriteAll(file.fd, bytes) && fsync(file.fd) == 0 &&
        std::rename(temporary.c_str(), path.c_str()) == 0) {
      return;
    }
  }
  const int why = errno;
  unlink(temporary.c_str());
  errno = why;
  ThrowCannotWrite(path);
}

void MakeKeyFolder(const std::string& path) {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  if (!parent.empty()) std::filesystem::create_directories(parent, error);
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) ThrowCannotWrite(path);
}

KeyFileLock::KeyFileLock(const std::string& path) : fd_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
  if (fd_ < 0) ThrowCannotWrite(path);
  while (flock(fd_, LOCK_EX) != 0 && errno == EINTR) {
  }
}

KeyFileLock::~KeyFileLock() { close(fd_); }

}  // namespace hone
