// Memory of a job: shared between the executor and the job's child, and between guard pages in the child.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hone {

// The byte that fills an output before a run: with all bits set, any float type is a NaN.
inline constexpr uint8_t kPoison = 0xFF;

// A memfd mapped in this process, but not in children that it forks. They map it themselves between guards, so that
// stray writes hit nothing. The data's end is as close to a page's end as 64-byte alignment allows.
class SharedRegion {
 public:
  // Zero-filled, writable until it is sealed. Throws Error(kIo) if there is no memory.
  explicit SharedRegion(int64_t size_bytes);
  // Takes over the descriptor of another process's region of that size. Do not write through data().
  SharedRegion(int fd, int64_t size_bytes);
  ~SharedRegion();
  SharedRegion(const SharedRegion&) = delete;
  SharedRegion& operator=(const SharedRegion&) = delete;

  int fd() const { return fd_; }
  int64_t size_bytes() const { return size_bytes_; }
  int64_t file_bytes() const { return file_bytes_; }  // whole pages
  // The offset of the data within the file.
  int64_t data_offset() const { return data_offset_; }
  char* data() { return Mapped() + data_offset_; }
  const char* data() const { return Mapped() + data_offset_; }
  // Unmaps it here until the next call of data(), which may throw Error(kIo). Every mapping slows down forks of this
  // process.
  void Unmap() const;

  // Makes it read-only for good, in this process and all children, whatever their mappings. Unmaps it. Before Linux 5.1
  // the system cannot; there only the system-call filter keeps a child from writing.
  void Seal();

  // Fills the data with `poison` and the rest of the file with the canary.
  void Poison(uint8_t poison);
  // Whether all bytes around the data still hold the canary.
  bool CanaryHolds() const;

 private:
  char* Mapped() const;

  int fd_ = -1;
  mutable char* map_ = nullptr;
  bool sealed_ = false;
  int64_t size_bytes_ = 0;
  int64_t file_bytes_ = 0;
  int64_t data_offset_ = 0;
};

// size_bytes rounded up to whole pages, at least one.
int64_t WholePages(int64_t size_bytes);

// A kernel's memory: one mapping with 64 KiB of PROT_NONE on either side. The data is 64-byte aligned, and its end is
// as close to the guard as that allows. Lives until the process ends, since only a job's child makes them. Throws
// std::bad_alloc.
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
