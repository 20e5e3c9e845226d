#include "cli/files/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"

namespace hone {
namespace {

// Why the open file will not do; empty when it will.
const char* WhyNot(const struct stat& info, bool pipes_too) {
  if (S_ISDIR(info.st_mode)) return "a folder; a file is right";
  if (S_ISREG(info.st_mode) || (pipes_too && S_ISFIFO(info.st_mode))) return "";
  return pipes_too ? "neither a regular file nor a pipe" : "not a regular file";
}

}  // namespace

InputFile::InputFile(const std::string& path, bool pipes_too)
    : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
  struct stat info{};
  if (fd_ < 0 || fstat(fd_, &info) != 0) {
    if (fd_ >= 0) close(fd_);
    throw Error(ExitCode::kNoInput, fmt::format("there is no file {}, or it may not be read", path));
  }
  const std::string why_not = WhyNot(info, pipes_too);
  if (!why_not.empty()) {
    close(fd_);
    throw Error(ExitCode::kNoInput, fmt::format("{} is {}", path, why_not));
  }
  if (S_ISFIFO(info.st_mode)) kind_ = Kind::kPipe;
}

InputFile::~InputFile() { close(fd_); }

void InputFile::Block() { (void)fcntl(fd_, F_SETFL, fcntl(fd_, F_GETFL) & ~O_NONBLOCK); }

}  // namespace hone
