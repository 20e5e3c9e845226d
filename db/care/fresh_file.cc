#include "db/care/fresh_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "core/error.h"
#include "core/fresh_name.h"

namespace hone {

std::string MakeFreshFile(const std::string& path) {
  const std::string fresh = FreshName(path);
  const int fd = open(fresh.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (fd < 0) {
    const std::string why = std::generic_category().message(errno);
    throw Error(ExitCode::kCannotCreate, fmt::format("'{}' cannot be made: {}", path, why));
  }
  close(fd);
  return fresh;
}

}  // namespace hone
