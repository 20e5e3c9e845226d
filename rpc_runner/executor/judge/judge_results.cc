#include "rpc_runner/executor/judge/judge_results.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/small_floats.h"
#include "rpc_runner/process/clock.h"

namespace hone {
namespace {

constexpr double kAbsolute = 1e-7;

// The rounding error of the output's own type, relative to the value: half a unit in the last place.
template <typename T>
constexpr double kOwnRounding = 0;
template <>
constexpr double kOwnRounding<BFloat16> = 1.0 / 256;
template <>
constexpr double kOwnRounding<Float16> = 1.0 / 2048;

// 16-bit floats only convert to float32.
template <typename T>
using Computed = std::conditional_t<std::is_class_v<T>, float, T>;

template <typename T>
double WorstOf(const T* got, int64_t elements, const double* value, const double* magnitude1, double tolerance) {
  double worst = 0;
  for (int64_t i = 0; i < elements; ++i) {
    // Past an axis the magnitude and the value are 0, so any tiny bound works.
    const double rounding = kOwnRounding<T> * std::fabs(value[i]);
    const double bound = magnitude1[i] == 0 ? 1e-300 : tolerance * (magnitude1[i] - 1) + kAbsolute + rounding;
    const double ratio = std::fabs(static_cast<double>(static_cast<Computed<T>>(got[i])) - value[i]) / bound;
    if (!(ratio <= worst)) worst = ratio <= kWrongBeyondMeasure ? ratio : kWrongBeyondMeasure;
  }
  return worst;
}

// Each sample is far shorter than a scheduler's time slice, and one undisturbed sample is enough.
constexpr int kSamples = 12;
constexpr int64_t kArithmeticTrips = 2'000;

// Keeps the compiler from removing the loops.
volatile float g_arithmetic_sink = 0;

}  // namespace

double WorstError(const void* got, DType dtype, int64_t elements, const double* expected, double tolerance) {
  const double* magnitude1 = expected + elements;
  const auto as = [&](auto* typed) { return WorstOf(typed, elements, expected, magnitude1, tolerance); };
  switch (dtype) {
    case DType::kFloat32:
      return as(static_cast<const float*>(got));
    case DType::kFloat64:
      return as(static_cast<const double*>(got));
    case DType::kInt32:
      return as(static_cast<const int32_t*>(got));
    case DType::kInt64:
      return as(static_cast<const int64_t*>(got));
    case DType::kInt8:
      return as(static_cast<const int8_t*>(got));
    case DType::kFloat16:
      return as(static_cast<const Float16*>(got));
    case DType::kBFloat16:
      return as(static_cast<const BFloat16*>(got));
    case DType::kUInt8:
    case DType::kBool:
      return as(static_cast<const uint8_t*>(got));
  }
  return kWrongBeyondMeasure;
}

bool AreBelievable(const ChildNote& note, int64_t wall_ns) {
  if (note.samples < 1 || note.samples > kMaxNoteSamples) return false;
  int64_t left_ns = wall_ns;
  for (int i = 0; i < note.samples; ++i) {
    const int64_t ns = note.samples_ns[i], batch = note.batch[i];
    // Divides, because the product may overflow.
    if (ns < 1 || batch < 1 || ns > left_ns / batch) return false;
    left_ns -= ns * batch;
  }
  return true;
}

std::optional<int64_t> BelievableSum(std::span<const int64_t> calls_ns, int64_t wall_ns) {
  int64_t sum_ns = 0;
  for (const int64_t ns : calls_ns) {
    if (ns < 0 || ns > wall_ns - sum_ns) return std::nullopt;
    sum_ns += ns;
  }
  return sum_ns;
}

void ArithmeticRoof::Measure() {
  std::vector<float> values(static_cast<size_t>(kernels_.chains * kernels_.lanes), 0.5F);
  const auto each = static_cast<double>(kArithmeticTrips * kernels_.flops_per_trip() / 2);
  for (int i = 0; i < kSamples; ++i) {
    const int64_t begin_ns = MonotonicNs();
    kernels_.multiply_add(kArithmeticTrips, values.data());
    const int64_t ns = std::max<int64_t>(1, MonotonicNs() - begin_ns);
    per_ns_ = std::max(per_ns_, each / static_cast<double>(ns));
  }
  g_arithmetic_sink = values.front();
}

double ArithmeticRoof::LeastNs(int64_t multiply_adds, int threads, bool all_float32) const {
  if (per_ns_ <= 0) return 0;
  const double margin = kMargin * (all_float32 ? 1 : kBytesMargin);
  return static_cast<double>(multiply_adds) / (per_ns_ * std::max(1, threads) * margin);
}

bool IsFloat32(const Artifact& artifact) {
  return std::all_of(artifact.operands.begin(), artifact.operands.end(),
                     [](const KernelOperand& operand) { return operand.dtype == DType::kFloat32; });
}

}  // namespace hone
