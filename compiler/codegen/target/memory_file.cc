#include "compiler/codegen/target/memory_file.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/error.h"

namespace hone {

MemoryFile::MemoryFile(const char* name) : fd_(memfd_create(name, MFD_CLOEXEC)) {
  if (fd_ < 0) throw Error(ExitCode::kIo, fmt::format("memfd_create: {}", std::strerror(errno)));
}

MemoryFile::~MemoryFile() { close(fd_); }

std::string MemoryFile::path() const { return fmt::format("/proc/self/fd/{}", fd_); }

void MemoryFile::Write(std::string_view bytes) const {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t n = write(fd_, bytes.data() + done, bytes.size() - done);
    if (n < 0) throw Error(ExitCode::kIo, fmt::format("cannot hold an object in memory: {}", std::strerror(errno)));
    done += static_cast<size_t>(n);
  }
}

}  // namespace hone
