#include "db/care/fresh_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "core/error.h"

namespace hone {

std::string MakeFreshFile(const std::string& path) {
  std::string fresh = path + ".XXXXXX";
  const int fd = mkostemp(fresh.data(), O_CLOEXEC);
  if (fd < 0) {
    const std::string why = std::generic_category().message(errno);
    throw Error(ExitCode::kCannotCreate, fmt::format("'{}' cannot be made: {}", path, why));
  }
  const mode_t mask = umask(0);
  umask(mask);
  (void)fchmod(fd, 0666 & ~mask);
  close(fd);
  return fresh;
}

}  // namespace hone
