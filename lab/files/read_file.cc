#include "lab/files/read_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "core/error.h"
#include "core/files/file_kind.h"
#include "core/hash/hash.h"
#include "lab/files/near_files.h"
#include "lab/files/write_file.h"
#include "runtime/load/mapped_bytes.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // the kernel's limit

}  // namespace

std::string ResolvedPath(const std::string& path) {
  fs::path at = path;
  std::error_code error;
  for (int links = 0; links < kMostLinks && fs::is_symlink(at, error); ++links) {
    const fs::path target = fs::read_symlink(at, error);
    if (error) break;
    at = at.parent_path() / target;
  }
  return at.string();
}

std::string CanonicalPath(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(ResolvedPath(path), error);
  fs::path canonical = fs::weakly_canonical(absolute, error);
  return (error ? absolute : canonical).string();
}

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
    const std::string near = NearestFile(path);
    throw Error(ExitCode::kNoInput,
                fmt::format("there is no file {}{}", path, near.empty() ? "" : "; did you mean " + near + "?"));
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

void InputFile::Block() { (void)fcntl(fd_, F_SETFL, fcntl(fd_, F_GETFL) & ~O_NONBLOCK); }

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
  throw Error(ExitCode::kNoInput, fmt::format("{} is a pipe without a writer", path_));
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

bool IsThere(const std::string& path) {
  std::error_code error;
  const bool there = fs::exists(path, error);
  if (error == std::errc::permission_denied) {
    throw Error(
        ExitCode::kNotAuthorised,
        fmt::format("{} may not be looked at: a folder on its way may not be entered (Permission denied)", path));
  }
  return there;
}

std::string ReadFile(const std::string& path, InputFile::Use use) {
  const InputFile file(path, false, use);
  std::string bytes;
  std::array<char, size_t{1} << 16> piece;
  for (;;) {
    const ssize_t count = read(file.fd(), piece.data(), piece.size());
    if (count == 0) return bytes;
    if (count > 0) {
      bytes.append(piece.data(), static_cast<size_t>(count));
    } else if (errno != EINTR) {
      throw Error(ExitCode::kIo, fmt::format("{} cannot be read to its end", path));
    }
  }
}

std::string Sha256OfFile(const std::string& path) {
  return IsThere(path) ? Sha256Hex(MappedBytes::FromFile(path).view()) : "";
}

}  // namespace hone
