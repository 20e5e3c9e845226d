#include "runtime/load/mapped_bytes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/error.h"

namespace hone {
namespace {

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() {
    if (fd_ >= 0) close(fd_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

void* Map(size_t size, int protection, int flags, int fd, const std::string& what) {
  void* data = mmap(nullptr, size, protection, flags, fd, 0);
  if (data != MAP_FAILED) return data;
  throw Error(ExitCode::kIo, fmt::format("{}: {} bytes cannot be mapped: {}", what, size, std::strerror(errno)));
}

}  // namespace

MappedBytes MappedBytes::FromFile(const std::string& path) {
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) {
    const bool absent = errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG || errno == ELOOP;
    const ExitCode refused = errno == EACCES ? ExitCode::kNotAuthorised : ExitCode::kIo;
    const ExitCode code = absent ? ExitCode::kNoInput : refused;
    throw Error(code, fmt::format("{}: {}", path, std::strerror(errno)));
  }
  struct stat info{};
  if (fstat(file.get(), &info) != 0) throw Error(ExitCode::kIo, fmt::format("{}: {}", path, std::strerror(errno)));
  if (!S_ISREG(info.st_mode)) throw Error(ExitCode::kNoInput, fmt::format("{} is not a regular file", path));
  const size_t size = static_cast<size_t>(info.st_size);
  if (size == 0) return {};
  return {Map(size, PROT_READ, MAP_PRIVATE, file.get(), path), size};
}

MappedBytes MappedBytes::Zeros(size_t size_bytes) {
  if (size_bytes == 0) return {};
  void* data = Map(size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, "memory");
  constexpr size_t kHugePage = size_t{2} << 20;
  // This is only advice: small pages work too and are only a little slower.
  if (size_bytes >= kHugePage) (void)madvise(data, size_bytes, MADV_HUGEPAGE);
  return {data, size_bytes};
}

MappedBytes MappedBytes::Copy(std::string_view bytes) {
  MappedBytes copy = Zeros(bytes.size());
  if (bytes.empty()) return copy;
  std::memcpy(copy.data_, bytes.data(), bytes.size());
  (void)mprotect(copy.data_, copy.size_, PROT_READ);
  return copy;
}

// The result is read-only, because data() is writable only for Zeros.
MappedBytes MappedBytes::Borrow(std::string_view bytes) {
  return {const_cast<char*>(bytes.data()), bytes.size(), false};
}

MappedBytes::MappedBytes(MappedBytes&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)), owned_(other.owned_) {}

MappedBytes& MappedBytes::operator=(MappedBytes&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(owned_, other.owned_);
  return *this;
}

MappedBytes::~MappedBytes() {
  if (owned_ && data_ != nullptr) munmap(data_, size_);
}

}  // namespace hone
