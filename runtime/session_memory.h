// One block of a session's memory, from the system or from the embedding program.
#pragma once

#include <cstddef>

#include "runtime/load/mapped_bytes.h"

namespace hone {

// A source of memory other than the system. The functions may be called from the thread that makes or destroys a
// session, and must not throw.
struct MemorySource {
  // Returns size_bytes bytes at a multiple of `alignment` (a power of two), with any content; null if there are none.
  void* (*allocate)(void* user, size_t size_bytes, size_t alignment) = nullptr;
  void (*release)(void* user, void* memory, size_t size_bytes) = nullptr;
  void* user = nullptr;
};

// Owns one block of zeros, 64-byte aligned. A block of no bytes is empty and asks no source.
class SessionMemory {
 public:
  SessionMemory() = default;
  // `source` null: the system. Throws Error: kIo when there is no memory, kUsage when the source's memory is not
  // aligned.
  SessionMemory(size_t size_bytes, const MemorySource* source);
  SessionMemory(SessionMemory&& other) noexcept;
  SessionMemory& operator=(SessionMemory&& other) noexcept;
  ~SessionMemory();

  char* data() { return lent_ != nullptr ? lent_ : own_.data(); }
  size_t size() const { return lent_ != nullptr ? lent_bytes_ : own_.size(); }

 private:
  MappedBytes own_;
  MemorySource source_;
  char* lent_ = nullptr;
  size_t lent_bytes_ = 0;
};

}  // namespace hone
