// A kernel's memory between inaccessible guard pages.
#pragma once

#include <cstdint>

#include "rpc_runner/executor/memory/shared_region.h"

namespace hone {

// One mapping with 64 KiB of PROT_NONE on either side. The data is 64-byte aligned, and its end is as close to the
// guard as that allows. Lives until the process ends, since only a job's child makes them. Throws std::bad_alloc.
class GuardedBuffer {
 public:
  // Zero-filled private memory.
  static GuardedBuffer Private(int64_t size_bytes);
  // A mapping of a region of the executor, from its memfd.
  static GuardedBuffer Of(const SharedRegion& region, bool writable);

  void* data() const { return reinterpret_cast<void*>(data_begin_); }
  uintptr_t data_begin() const { return data_begin_; }
  uintptr_t data_end() const { return data_end_; }
  // The bounds of the whole reservation with its guards.
  uintptr_t begin() const { return begin_; }
  uintptr_t end() const { return end_; }

 private:
  GuardedBuffer(int64_t size_bytes, int64_t map_bytes);

  uintptr_t begin_ = 0;
  uintptr_t end_ = 0;
  uintptr_t data_begin_ = 0;
  uintptr_t data_end_ = 0;
};

}  // namespace hone
