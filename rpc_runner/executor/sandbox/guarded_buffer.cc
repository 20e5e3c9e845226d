#include "rpc_runner/executor/sandbox/guarded_buffer.h"

#include <sys/mman.h>

#include <new>

namespace hone {
namespace {

constexpr int64_t kGuardBytes = 64 << 10;

void MapInto(uintptr_t address, int64_t bytes, int protection, int flags, int fd) {
  void* place = reinterpret_cast<void*>(address);
  if (mmap(place, static_cast<size_t>(bytes), protection, flags | MAP_FIXED, fd, 0) == MAP_FAILED)
    throw std::bad_alloc();
}

}  // namespace

GuardedBuffer::GuardedBuffer(int64_t size_bytes, int64_t map_bytes) {
  const size_t whole = static_cast<size_t>(map_bytes + 2 * kGuardBytes);
  void* reserved = mmap(nullptr, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) throw std::bad_alloc();
  begin_ = reinterpret_cast<uintptr_t>(reserved);
  end_ = begin_ + whole;
  data_begin_ = begin_ + kGuardBytes + RightAlignedOffset(size_bytes);
  data_end_ = data_begin_ + static_cast<uintptr_t>(size_bytes);
}

GuardedBuffer GuardedBuffer::Private(int64_t size_bytes) {
  GuardedBuffer buffer(size_bytes, WholePages(size_bytes));
  MapInto(buffer.begin_ + kGuardBytes, WholePages(size_bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  return buffer;
}

GuardedBuffer GuardedBuffer::Of(const SharedRegion& region, bool writable) {
  GuardedBuffer buffer(region.size_bytes(), region.file_bytes());
  // Reads fault in 16 pages at a time, which is cheaper than populating each page. Writes fault one by one, so their
  // pages are populated. The check before the timing has touched all pages that the kernel reads.
  const int populate = writable ? MAP_POPULATE : 0;
  MapInto(buffer.begin_ + kGuardBytes, region.file_bytes(), writable ? PROT_READ | PROT_WRITE : PROT_READ,
          MAP_SHARED | populate, region.fd());
  return buffer;
}

}  // namespace hone
