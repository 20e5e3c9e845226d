#include "rpc_runner/executor/judge/output_check.h"

#include <algorithm>
#include <cmath>

#include "core/small_floats.h"

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

}  // namespace hone
