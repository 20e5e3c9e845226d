#include "runtime/load/kernel_library.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/error.h"

namespace hone {
namespace {

[[noreturn]] void FailMemory() {
  throw Error(ExitCode::kIo, fmt::format("no memory for a kernel: {}", std::strerror(errno)));
}

struct Pages {
  uint64_t begin, end;
};

Pages PagesOf(const ElfImage::Segment& segment) {
  static const uint64_t kPage = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return {segment.address / kPage * kPage, (segment.address + segment.memory_bytes + kPage - 1) / kPage * kPage};
}

}  // namespace

MappedElf::MappedElf(std::string_view elf, const ElfImage& image) {
  const uint64_t end = PagesOf(image.segments.back()).end;
  size_ = end + image.align;
  void* reserved = mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) FailMemory();
  begin_ = static_cast<char*>(reserved);
  const auto address = reinterpret_cast<uintptr_t>(reserved);
  zero_ = begin_ + (image.align - address % image.align) % image.align;
  try {
    Fill(elf, image);
    Protect(image);
  } catch (...) {
    munmap(begin_, size_);
    throw;
  }
}

void MappedElf::Fill(std::string_view elf, const ElfImage& image) {
  for (const ElfImage::Segment& segment : image.segments) {
    const Pages pages = PagesOf(segment);
    if (mprotect(At(pages.begin), pages.end - pages.begin, PROT_READ | PROT_WRITE) != 0) FailMemory();
    if (segment.file_bytes > 0) std::memcpy(At(segment.address), elf.data() + segment.file_offset, segment.file_bytes);
  }
  for (const ElfImage::Relocation& relocation : image.relocations) {
    const auto value = reinterpret_cast<uintptr_t>(zero_) + static_cast<uintptr_t>(relocation.value);
    std::memcpy(At(relocation.address), &value, sizeof(value));
  }
}

void MappedElf::Protect(const ElfImage& image) {
  for (const ElfImage::Segment& segment : image.segments) {
    if (segment.writable) continue;
    const Pages pages = PagesOf(segment);
    if (segment.executable) __builtin___clear_cache(At(pages.begin), At(pages.end));
    const int protection = PROT_READ | (segment.executable ? PROT_EXEC : 0);
    if (mprotect(At(pages.begin), pages.end - pages.begin, protection) != 0) FailMemory();
  }
}

MappedElf::MappedElf(MappedElf&& other) noexcept
    : begin_(std::exchange(other.begin_, nullptr)), size_(other.size_), zero_(other.zero_) {}

MappedElf& MappedElf::operator=(MappedElf&& other) noexcept {
  std::swap(begin_, other.begin_);
  std::swap(size_, other.size_);
  std::swap(zero_, other.zero_);
  return *this;
}

MappedElf::~MappedElf() {
  if (begin_ != nullptr) munmap(begin_, size_);
}

KernelLibrary KernelLibrary::FromBytes(std::string_view elf, const std::string& name) {
  ElfImage image;
  if (const std::string rule = ReadElf(elf, &image); !rule.empty()) {
    throw Error(ExitCode::kBadData, fmt::format("{}: the kernel library {}", name, rule));
  }
  KernelLibrary library;
  library.mapped_ = MappedElf(elf, image);
  for (const ElfImage::Symbol& symbol : image.symbols) {
    char* address = library.mapped_.At(symbol.address);
    if (symbol.function) {
      library.functions_.emplace(symbol.name, reinterpret_cast<hone_kernel_stage>(address));
    } else {
      library.data_.emplace(symbol.name, std::string_view(address, symbol.room_bytes));
    }
  }
  return library;
}

hone_kernel_stage KernelLibrary::Find(const std::string& symbol) const {
  const auto found = functions_.find(symbol);
  if (found == functions_.end()) {
    throw Error(ExitCode::kBadData, fmt::format("the kernel library has no function '{}'", symbol));
  }
  return found->second;
}

std::string_view KernelLibrary::Text(const std::string& symbol) const {
  const auto found = data_.find(symbol);
  if (found == data_.end()) return {};
  const size_t end = found->second.find('\0');
  return end == std::string_view::npos ? std::string_view() : found->second.substr(0, end);
}

}  // namespace hone
