// The loops that roofs and golden times are measured with: at the widest vectors of this CPU, without a code generator.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hone {

struct VectorKernels {
  std::string_view name;  // "avx512", "avx2", "sse", "neon", "generic"
  int lanes = 4;          // floats of a vector
  int chains = 12;        // accumulators, as many as registers allow: latency must not bound the loop
  // chains * lanes floats in place: `trips` times kMultiplyAdds of each.
  void (*multiply_add)(int64_t trips, float* values) = nullptr;
  // The sum of `count` floats; count is a multiple of kReadStep.
  float (*read)(const float* data, int64_t count) = nullptr;

  static constexpr int kMultiplyAdds = 4;
  static constexpr int64_t kReadStep = 256;
  // Floating-point operations of one trip.
  int64_t flops_per_trip() const { return int64_t{2} * kMultiplyAdds * chains * lanes; }
};

// The widest that a CPU with `features` (as Environment's) runs. Generic where multiplying and adding are two
// instructions.
VectorKernels KernelsFor(std::string_view features);

}  // namespace hone
