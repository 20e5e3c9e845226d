// Memory directly from the system: a file's bytes, or zeros.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hone {

// Owns one page-aligned mapping, or borrows bytes; empty if there is neither.
class MappedBytes {
 public:
  // Maps a whole file read-only, without a copy. Throws Error: kNoInput (no such file, or not a file), kNotAuthorised,
  // kIo.
  static MappedBytes FromFile(const std::string& path);
  // A read-only copy. Throws Error(kIo) when there is no memory.
  static MappedBytes Copy(std::string_view bytes);
  // Writable zeros, in huge pages if the system provides them. Throws Error(kIo) when there is no memory.
  static MappedBytes Zeros(size_t size_bytes);

  // Borrows bytes, which must outlive this.
  static MappedBytes Borrow(std::string_view bytes);

  MappedBytes() = default;
  MappedBytes(MappedBytes&& other) noexcept;
  MappedBytes& operator=(MappedBytes&& other) noexcept;
  ~MappedBytes();

  std::string_view view() const { return {static_cast<const char*>(data_), size_}; }
  // Writable only for Zeros.
  char* data() { return static_cast<char*>(data_); }
  size_t size() const { return size_; }

 private:
  MappedBytes(void* data, size_t size, bool owned = true) : data_(data), size_(size), owned_(owned) {}
  void* data_ = nullptr;
  size_t size_ = 0;
  bool owned_ = false;
};

}  // namespace hone
