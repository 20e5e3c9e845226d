#include "core/package/packed_param.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "core/error.h"

namespace hone {
namespace {

Tensor Transposed(const Tensor& matrix) {
  const int64_t rows = matrix.shape().at(0), columns = matrix.shape().at(1);
  const auto size = static_cast<size_t>(DTypeBytes(matrix.dtype()));
  Tensor result(matrix.dtype(), {columns, rows});
  const char* from = static_cast<const char*>(matrix.raw());
  char* to = static_cast<char*>(result.raw());
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      std::memcpy(to + static_cast<size_t>(c * rows + r) * size, from + static_cast<size_t>(r * columns + c) * size,
                  size);
    }
  }
  return result;
}

// Refuses finite values that the cast would make infinite.
void RequireRange(const Tensor& value, DType dtype) {
  constexpr double kLargest = 65504;
  if (dtype != DType::kFloat16 || value.dtype() == DType::kFloat16) return;
  for (int64_t i = 0; i < value.elements(); ++i) {
    const double element = value.At(i);
    if (!std::isfinite(element) || std::fabs(element) <= kLargest) continue;
    throw Error(ExitCode::kBadData,
                fmt::format("it has a value of {}; the package stores float16, which ends at {}", element, kLargest));
  }
}

}  // namespace

Tensor PackParam(const Tensor& value, bool transposed, const PlanBuffer& buffer) {
  const Tensor moved = transposed ? Transposed(value) : value;
  RequireRange(moved, buffer.dtype);
  const Tensor logical = moved.Reshaped(buffer.shape).As(buffer.dtype);
  return buffer.layout.empty() ? logical : Pack(logical, buffer.layout);
}

}  // namespace hone
