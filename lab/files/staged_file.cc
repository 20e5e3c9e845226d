#include "lab/files/staged_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/error.h"

namespace hone {

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

StagedFile::StagedFile(const std::string& path, const StreamWriter& write) : path_(path), file_(path) {
  WriteThrough(
      [&](std::string_view bytes) {
        if (!WriteAll(file_.fd(), bytes)) CannotWrite(path_, true);
      },
      write);
  if (::fsync(file_.fd()) != 0) CannotWrite(path_, true);
}

void StagedFile::Commit() {
  if (!file_.Rename(path_)) CannotWrite(path_, false);
}

}  // namespace hone
