// The loops that measure rooflines and golden times, and the memory that they read. The loops use the widest vectors of
// this CPU, without a code generator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hone {

struct VectorKernels {
  std::string_view name;  // "avx512", "avx2", "sse", "neon", "generic"
  int lanes = 4;          // floats per vector
  int chains = 12;        // accumulators, as many as fit into registers, so that latency does not bound the loop
  // Updates chains * lanes floats in place: `trips` times kMultiplyAdds multiply-adds of each.
  void (*multiply_add)(int64_t trips, float* values) = nullptr;
  // The sum of `count` floats; count is a multiple of kReadStep.
  float (*read)(const float* data, int64_t count) = nullptr;

  static constexpr int kMultiplyAdds = 4;
  static constexpr int64_t kReadStep = 256;
  // Floating-point operations of one trip.
  int64_t flops_per_trip() const { return int64_t{2} * kMultiplyAdds * chains * lanes; }
};

// The widest kernels that a CPU with `features` (as Environment's) runs. Generic if the CPU has no fused multiply-add.
VectorKernels KernelsFor(std::string_view features);

// A buffer for measurements, with pages of its own. Each page is written once, so that none is the shared zero page.
// Uses large pages if available.
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
