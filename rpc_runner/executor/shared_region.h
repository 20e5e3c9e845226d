// Memory that the executor and a job's child both see.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hone {

// What an output is filled with before a run: all bits set is a NaN in any float type.
inline constexpr uint8_t kPoison = 0xFF;

// A memfd mapped in this process, but not in children that it forks: they map it where they want it, between guards, so
// that a stray write of theirs meets nothing. The data's end lies at a page's end as far as its 64-byte alignment
// allows.
class SharedRegion {
 public:
  // Zero-filled, writable until it is sealed. Throws Error(kIo) when the system has no room.
  explicit SharedRegion(int64_t size_bytes);
  // Takes over the descriptor of another process's region of that size. It is not written through data().
  SharedRegion(int fd, int64_t size_bytes);
  ~SharedRegion();
  SharedRegion(const SharedRegion&) = delete;
  SharedRegion& operator=(const SharedRegion&) = delete;

  int fd() const { return fd_; }
  int64_t size_bytes() const { return size_bytes_; }
  int64_t file_bytes() const { return file_bytes_; }  // whole pages
  // Where the data begins within the file.
  int64_t data_offset() const { return data_offset_; }
  char* data() { return Mapped() + data_offset_; }
  const char* data() const { return Mapped() + data_offset_; }
  // Unmaps it here until data() is asked for again, which may throw Error(kIo): every mapping makes forks of this
  // process slower.
  void Unmap() const;

  // For good: nobody writes it any more, here or in a child, whatever it does to its mapping. Unmaps it. Systems before
  // Linux 5.1 cannot; there only the system-call filter keeps a child from it.
  void Seal();

  // Every byte of the data becomes `poison`, and every byte of the file around it the canary.
  void Poison(uint8_t poison);
  // False when a byte around the data is no longer the canary.
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

// Where data of this size begins in a mapping of whole pages: as near to the end as 64-byte alignment allows.
int64_t RightAlignedOffset(int64_t size_bytes);
// size_bytes rounded up to whole pages, at least one.
int64_t WholePages(int64_t size_bytes);

}  // namespace hone
