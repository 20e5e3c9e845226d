#include "lab/files/piped_input.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/error.h"

namespace hone {
namespace {

constexpr int kSliceMs = 50;

// Whether bytes are available, or a writer came and went, within a slice of time.
bool SomethingCame(int fd) {
  pollfd look{fd, POLLIN, 0};
  return poll(&look, 1, kSliceMs) > 0;
}

}  // namespace

PipedInput::PipedInput(const std::string& path) : path_(path), file_(path, true) {
  if (file_.kind() == InputFile::Kind::kPipe) AwaitWriter();
}

// A shell opens the two ends of a named pipe in either order, so the writer may come a moment later. Reading a pipe
// without a writer returns no bytes. If the writer has written nothing yet, it gives EAGAIN.
void PipedInput::AwaitWriter() {
  for (int slice = 0; slice < 1000 * kWriterWaitSeconds / kSliceMs; ++slice) {
    const ssize_t count = read(file_.fd(), piece_.data(), piece_.size());
    const bool has_writer = count < 0 && errno == EAGAIN;
    if (count > 0 || has_writer) {
      begun_ = count > 0 ? static_cast<size_t>(count) : 0;
      return file_.Block();
    }
    if (SomethingCame(file_.fd())) return file_.Block();
  }
  throw Error(ExitCode::kNoInput, fmt::format("{} is a pipe that nobody writes to", path_));
}

size_t PipedInput::Fill() {
  if (begun_ > 0) return std::exchange(begun_, 0);
  for (;;) {
    const ssize_t count = read(file_.fd(), piece_.data(), piece_.size());
    if (count >= 0) return static_cast<size_t>(count);
    if (errno != EINTR) throw Error(ExitCode::kIo, fmt::format("{} cannot be read to its end", path_));
  }
}

PipedInput::int_type PipedInput::underflow() {
  const size_t count = Fill();
  if (count == 0) return traits_type::eof();
  setg(piece_.data(), piece_.data(), piece_.data() + count);
  return traits_type::to_int_type(piece_[0]);
}

}  // namespace hone
