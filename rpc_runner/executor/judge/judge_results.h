// Judges the results of a job's child: its output, and the plausibility of the times that it reports.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/artifact.h"
#include "core/tensor.h"
#include "rpc_runner/executor/judge/child_note.h"
#include "rpc_runner/health/vector_kernels.h"

namespace hone {

// The largest |got - value| / (tolerance * magnitude + 1e-7) over the elements; the output is right if it is at most 1.
// An output of 16-bit floats may also be off by half a unit in its last place. `expected` holds `elements` values, then
// as many magnitudes plus one (see ExpectedFor). A NaN, an infinity, or a nonzero lane past its axis counts as
// kWrongBeyondMeasure.
inline constexpr double kWrongBeyondMeasure = 1e30;
double WorstError(const void* got, DType dtype, int64_t elements, const double* expected, double tolerance);

// Whether the note has 1 to kMaxNoteSamples samples, each of at least 1 ns and one run. One after another, they must
// fit into the wall_ns that the executor's own clock measured.
bool AreBelievable(const ChildNote& note, int64_t wall_ns);

// The sum of the calls' times. Nullopt if one is negative or the sum exceeds wall_ns.
std::optional<int64_t> BelievableSum(std::span<const int64_t> calls_ns, int64_t wall_ns);

// A lower bound of any kernel's time: the highest rate of float32 multiply-adds that one thread of this process has
// reached. Not thread-safe.
class ArithmeticRoof {
 public:
  // `features`: those of the CPU, as in Environment.
  explicit ArithmeticRoof(const std::string& features) : kernels_(KernelsFor(features)) {}

  // Times loops of multiply-adds for about a millisecond. The rate may rise, but never fall.
  void Measure();
  // The least time in ns for `multiply_adds` of the operands' types on `threads` threads; 0 before Measure. It is far
  // below what any kernel reaches, by a margin:
  // - kMargin allows for wider instructions than those measured, a faster core of the same machine, and a higher clock.
  // - kBytesMargin is for types of which more fit into an instruction. AMX does 32 multiply-adds of bytes in the time
  //   of one of float32.
  double LeastNs(int64_t multiply_adds, int threads, bool all_float32) const;
  static constexpr double kMargin = 8, kBytesMargin = 32;

 private:
  const VectorKernels kernels_;
  double per_ns_ = 0;
};

// Whether all operands of the kernel are float32.
bool IsFloat32(const Artifact& artifact);

}  // namespace hone
