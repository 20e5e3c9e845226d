// What no kernel's time can be below.
#pragma once

#include <cstdint>
#include <string>

#include "core/artifact.h"
#include "rpc_runner/health/vector_kernels.h"

namespace hone {

// The multiply-adds of float32 that one thread of this process does at most, as far as was seen. Not thread-safe.
class ArithmeticRoof {
 public:
  // Of a CPU with `features` (Environment's).
  explicit ArithmeticRoof(const std::string& features) : kernels_(KernelsFor(features)) {}

  // Times loops of multiply-adds for about a millisecond: the roof may rise, never fall.
  void Measure();
  // The time in ns that `multiply_adds` of the operands' types take at least on so many threads, 0 when it was never
  // measured. Where a fast one would come near it is far too small: kMargin for wider instructions than ours, a faster
  // core of the same machine, a clock that rose; and kBytesMargin for types of which more fit an instruction (AMX does
  // 32 multiply-adds of bytes in the time of one of float32).
  double LeastNs(int64_t multiply_adds, int threads, bool all_float32) const;
  static constexpr double kMargin = 8, kBytesMargin = 32;

 private:
  const VectorKernels kernels_;
  double per_ns_ = 0;
};

// Whether all operands of the kernel are float32.
bool IsFloat32(const Artifact& artifact);

}  // namespace hone
