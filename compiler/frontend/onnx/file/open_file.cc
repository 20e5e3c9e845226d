#include "compiler/frontend/onnx/file/open_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/error.h"

namespace hone {

OpenFile::OpenFile(const std::string& path) : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  struct stat info{};
  if (fd_ >= 0 && fstat(fd_, &info) == 0 && S_ISREG(info.st_mode)) return;
  const ExitCode code = fd_ < 0 && errno == EACCES ? ExitCode::kNotAuthorised : ExitCode::kNoInput;
  const std::string why = fd_ < 0 ? std::strerror(errno) : "not a file";
  if (fd_ >= 0) close(fd_);
  throw Error(code, fmt::format("cannot read \"{}\": {}", path, why));
}

OpenFile::~OpenFile() { close(fd_); }

}  // namespace hone
