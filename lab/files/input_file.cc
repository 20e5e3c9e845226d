#include "lab/files/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "core/error.h"
#include "core/file_kind.h"
#include "lab/files/output_guard.h"

namespace hone {
namespace {

// Why the open file is not accepted; empty if it is.
const char* WhyNot(const struct stat& info, bool pipes_too) {
  if (S_ISDIR(info.st_mode)) return "a folder; a file is right";
  if (S_ISREG(info.st_mode) || (pipes_too && S_ISFIFO(info.st_mode))) return "";
  return pipes_too ? "neither a regular file nor a pipe" : "not a regular file";
}

}  // namespace

InputFile::InputFile(const std::string& path, bool pipes_too, Use use)
    : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
  struct stat info{};
  if (fd_ < 0 && errno == EACCES) {
    throw Error(ExitCode::kNotAuthorised, fmt::format("{} may not be read, or a folder on its way not entered", path));
  }
  if (fd_ < 0 || fstat(fd_, &info) != 0) {
    if (fd_ >= 0) close(fd_);
    throw Error(ExitCode::kNoInput, fmt::format("there is no file {}", path));
  }
  const std::string why_not = WhyNot(info, pipes_too);
  if (!why_not.empty()) {
    close(fd_);
    throw Error(ExitCode::kNoInput, fmt::format("{} is {}", path, why_not));
  }
  if (S_ISFIFO(info.st_mode)) kind_ = Kind::kPipe;
  if (use == Use::kInput) OutputGuard::Own().AddInput(path);
}

InputFile::~InputFile() { close(fd_); }

void RefuseOtherKinds(const std::string& path) {
  struct stat info{};
  // Only regular files are opened: a pipe that is opened and closed here would lose its writer.
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return;
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return;
  std::array<char, 512> begin;
  const bool is_file = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
  const ssize_t got = is_file ? read(fd, begin.data(), begin.size()) : 0;
  close(fd);
  const std::string kind = KindThatIsNeverRead({begin.data(), static_cast<size_t>(std::max<ssize_t>(got, 0))});
  if (!kind.empty()) throw Error(ExitCode::kBadData, fmt::format("{} {}", path, kind));
}

void InputFile::Block() { (void)fcntl(fd_, F_SETFL, fcntl(fd_, F_GETFL) & ~O_NONBLOCK); }

}  // namespace hone
