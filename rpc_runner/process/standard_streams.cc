#include "rpc_runner/process/standard_streams.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/error.h"

namespace hone {
namespace {

[[noreturn]] void FailOutput() {
  throw Error(ExitCode::kIo, fmt::format("the output could not be written to the end: {}", std::strerror(errno)));
}

}  // namespace

void PrepareStandardStreams() {
  // open() returns the lowest free number.
  constexpr int kModes[] = {O_WRONLY, O_RDONLY, O_WRONLY};
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) (void)open("/dev/null", kModes[fd]);
  }
}

void WriteToStdout(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) FailOutput();
}

void FlushStdout() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) FailOutput();
}

void WriteToStderr(std::string_view text) {
  (void)std::fwrite(text.data(), 1, text.size(), stderr);
  (void)std::fflush(stderr);
}

}  // namespace hone
