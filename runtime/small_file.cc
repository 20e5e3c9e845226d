#include "runtime/small_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "core/files/fresh_name.h"
#include "core/text/parse_number.h"

namespace hone {
namespace {

bool WriteAndClose(int fd, const std::string& bytes) {
  const bool written = WriteAll(fd, bytes);
  return close(fd) == 0 && written;
}

}  // namespace

std::optional<std::string> ReadSmallFile(const std::string& path, size_t most_bytes) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return std::nullopt;
  std::string bytes;
  char piece[4096];
  ssize_t got = 0;
  do {
    got = read(file, piece, std::min(sizeof(piece), most_bytes - bytes.size()));
    if (got > 0) bytes.append(piece, static_cast<size_t>(got));
  } while (got > 0 || (got < 0 && errno == EINTR));
  close(file);
  if (got < 0) return std::nullopt;
  return bytes;
}

std::string FirstLineOf(const std::string& path) {
  const std::optional<std::string> text = ReadSmallFile(path);
  return text ? std::string(Split(*text, '\n')[0]) : "";
}

bool WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

bool ReplaceSmallFile(const std::string& path, const std::string& bytes) {
  struct stat info{};
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    return fd >= 0 && WriteAndClose(fd, bytes);
  }
  const std::string fresh = FreshName(path);
  const int fd = open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (fd < 0) return false;
  if (WriteAndClose(fd, bytes) && std::rename(fresh.c_str(), path.c_str()) == 0) return true;
  const int why = errno;
  unlink(fresh.c_str());
  errno = why;
  return false;
}

}  // namespace hone
