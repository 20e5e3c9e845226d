// Memory whose pages are its own from the first: a buffer to measure with.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hone {

// Each page is written once, so that none is the system's page of zeros; in large pages where the system gives them.
class MappedFloats {
 public:
  // Throws Error(kIo) when there is no memory.
  explicit MappedFloats(int64_t bytes);
  ~MappedFloats();
  MappedFloats(const MappedFloats&) = delete;
  MappedFloats& operator=(const MappedFloats&) = delete;
  const float* data() const { return data_; }
  int64_t count() const { return count_; }

 private:
  void* map_ = nullptr;
  size_t map_bytes_ = 0;
  float* data_ = nullptr;
  int64_t count_ = 0;
};

}  // namespace hone
