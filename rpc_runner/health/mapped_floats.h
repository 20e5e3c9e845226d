// Memory with pages of its own, as a buffer for measurements.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hone {

// Each page is written once, so that none is the shared zero page. Uses large pages if available.
class MappedFloats {
 public:
  // Throws Error(kIo) if there is no memory.
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
