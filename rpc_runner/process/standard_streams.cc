#include "rpc_runner/process/standard_streams.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <utility>

#include "core/error.h"
#include "core/text/printable.h"
#include "rpc_runner/process/clock.h"

namespace hone {
namespace {

[[noreturn]] void FailOutput() {
  throw Error(ExitCode::kIo, fmt::format("the output could not be written to the end: {}", std::strerror(errno)));
}

constexpr int64_t kMostLines = 20, kWindowNs = 60'000'000'000;

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

bool RateLimiter::Allows(int64_t now_ns, int64_t* dropped) {
  if (begin_ns_ == INT64_MIN || now_ns - begin_ns_ >= window_ns_) {
    begin_ns_ = now_ns;
    allowed_ = 0;
  }
  if (allowed_ == most_) {
    ++dropped_;
    return false;
  }
  ++allowed_;
  *dropped = std::exchange(dropped_, 0);
  return true;
}

void LogError(std::string_view program, const std::string& text) {
  static std::mutex mutex;
  static RateLimiter limit(kMostLines, kWindowNs);
  const std::lock_guard lock(mutex);
  int64_t dropped = 0;
  if (!limit.Allows(MonotonicNs(), &dropped)) return;
  if (dropped > 0) WriteToStderr(ErrorLine(program, fmt::format("{} more lines were left out", dropped)));
  WriteToStderr(ErrorLine(program, text));
}

}  // namespace hone
