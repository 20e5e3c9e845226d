#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/error.h"
#include "runtime/kernel_launch.h"

namespace hone {
namespace {

void WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) throw Error(ExitCode::kIo, fmt::format("no memory for a kernel: {}", std::strerror(errno)));
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace

KernelLibrary KernelLibrary::FromBytes(std::string_view elf, const std::string& name) {
  if (const std::string rule = CheckElf(elf); !rule.empty()) {
    throw Error(ExitCode::kBadData, fmt::format("{}: the kernel library {}", name, rule));
  }
  KernelLibrary library;
  library.fd_ = memfd_create("hone-kernel", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (library.fd_ < 0) throw Error(ExitCode::kIo, fmt::format("no memory for a kernel: {}", std::strerror(errno)));
  WriteAll(library.fd_, elf);
  // What was checked is what is mapped, whoever else may hold the descriptor.
  (void)fcntl(library.fd_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
  library.handle_ = dlopen(fmt::format("/proc/self/fd/{}", library.fd_).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library.handle_ == nullptr) {
    throw Error(ExitCode::kBadData, fmt::format("{}: the kernel library does not load: {}", name, dlerror()));
  }
  return library;
}

KernelLibrary::KernelLibrary(KernelLibrary&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), fd_(std::exchange(other.fd_, -1)) {}

KernelLibrary& KernelLibrary::operator=(KernelLibrary&& other) noexcept {
  if (this == &other) return *this;
  Close();
  handle_ = std::exchange(other.handle_, nullptr);
  fd_ = std::exchange(other.fd_, -1);
  return *this;
}

KernelLibrary::~KernelLibrary() { Close(); }

void KernelLibrary::Close() {
  if (handle_ != nullptr) dlclose(handle_);
  if (fd_ >= 0) close(fd_);
  handle_ = nullptr;
  fd_ = -1;
}

hone_kernel_stage KernelLibrary::Find(const std::string& symbol) const {
  void* address = handle_ == nullptr ? nullptr : dlsym(handle_, symbol.c_str());
  if (address == nullptr) {
    throw Error(ExitCode::kBadData, fmt::format("the kernel library has no function '{}'", symbol));
  }
  return reinterpret_cast<hone_kernel_stage>(address);
}

std::string_view KernelLibrary::Text(const std::string& symbol) const {
  const void* address = handle_ == nullptr ? nullptr : dlsym(handle_, symbol.c_str());
  return address == nullptr ? std::string_view() : static_cast<const char*>(address);
}

}  // namespace hone
