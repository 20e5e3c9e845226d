#include "runtime/session_memory.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <utility>

#include "core/error.h"

namespace hone {
namespace {

constexpr size_t kAlignment = 64;

char* LentBy(const MemorySource& source, size_t size_bytes) {
  void* memory = source.allocate(source.user, size_bytes, kAlignment);
  if (memory == nullptr)
    throw Error(ExitCode::kIo, fmt::format("the allocator gave no memory of {} bytes", size_bytes));
  if (const uintptr_t over = reinterpret_cast<uintptr_t>(memory) % kAlignment; over != 0) {
    source.release(source.user, memory, size_bytes);
    throw Error(ExitCode::kUsage, fmt::format("the allocator gave memory {} bytes after a multiple of {}; at one would "
                                              "be right",
                                              over, kAlignment));
  }
  std::memset(memory, 0, size_bytes);
  return static_cast<char*>(memory);
}

}  // namespace

SessionMemory::SessionMemory(size_t size_bytes, const MemorySource* source) {
  if (size_bytes == 0) return;
  if (source == nullptr) {
    own_ = MappedBytes::Zeros(size_bytes);
    return;
  }
  lent_ = LentBy(*source, size_bytes);
  lent_bytes_ = size_bytes;
  source_ = *source;
}

SessionMemory::SessionMemory(SessionMemory&& other) noexcept
    : own_(std::move(other.own_)),
      source_(other.source_),
      lent_(std::exchange(other.lent_, nullptr)),
      lent_bytes_(other.lent_bytes_) {}

SessionMemory& SessionMemory::operator=(SessionMemory&& other) noexcept {
  std::swap(own_, other.own_);
  std::swap(source_, other.source_);
  std::swap(lent_, other.lent_);
  std::swap(lent_bytes_, other.lent_bytes_);
  return *this;
}

SessionMemory::~SessionMemory() {
  if (lent_ != nullptr) source_.release(source_.user, lent_, lent_bytes_);
}

}  // namespace hone
