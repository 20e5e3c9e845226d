#include "core/integer_elements.h"

#include <fmt/format.h>

#include <limits>

#include "core/error.h"

namespace hone {
namespace {

// Calls f with a null pointer to the integer type that holds the dtype's elements.
template <typename F>
auto WithInteger(DType dtype, F f) {
  switch (dtype) {
    case DType::kInt64:
      return f(static_cast<int64_t*>(nullptr));
    case DType::kInt32:
      return f(static_cast<int32_t*>(nullptr));
    case DType::kInt8:
      return f(static_cast<int8_t*>(nullptr));
    case DType::kUInt8:
    case DType::kBool:
      return f(static_cast<uint8_t*>(nullptr));
    default:
      throw Error(ExitCode::kBug, fmt::format("elements of {} are read as integers", DTypeName(dtype)));
  }
}

}  // namespace

int64_t IntegerAt(const Tensor& tensor, int64_t i) {
  return WithInteger(tensor.dtype(),
                     [&](auto* type) -> int64_t { return tensor.data<std::remove_pointer_t<decltype(type)>>()[i]; });
}

void SetInteger(Tensor& tensor, int64_t i, int64_t value) {
  if (tensor.dtype() == DType::kBool) value = value != 0 ? 1 : 0;
  WithInteger(tensor.dtype(), [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    tensor.data<T>()[i] = static_cast<T>(value);
  });
}

bool HeldByDouble(const Tensor& tensor, int64_t i) {
  if (IsFloat(tensor.dtype())) return true;
  const double value = tensor.At(i);
  return value < 0x1p63 && static_cast<int64_t>(value) == IntegerAt(tensor, i);
}

IntegerRange RangeOf(DType dtype) {
  if (dtype == DType::kBool) return {0, 1};
  return WithInteger(dtype, [](auto* type) {
    using Limits = std::numeric_limits<std::remove_pointer_t<decltype(type)>>;
    return IntegerRange{Limits::min(), Limits::max()};
  });
}

int64_t IntegerBound(double bound, DType dtype) {
  const IntegerRange range = RangeOf(dtype);
  // Near int64's ends the doubles are the ends themselves and the values one beyond.
  if (bound <= static_cast<double>(range.least)) return range.least;
  return bound >= static_cast<double>(range.most) ? range.most : static_cast<int64_t>(bound);
}

}  // namespace hone
