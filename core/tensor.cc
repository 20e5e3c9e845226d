#include "core/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <type_traits>

#include "core/declared_elements.h"
#include "core/declared_types.h"
#include "core/error.h"
#include "core/random.h"
#include "core/small_floats.h"
#include "core/text/parse_number.h"

namespace hone {
namespace {

struct DTypeRow {
  std::string_view name;
  int64_t bytes;
  bool is_float;
};
constexpr std::array<DTypeRow, 23> kDTypes = {
    {{"float32", 4, true},         {"float64", 8, true},        {"int32", 4, false},          {"int64", 8, false},
     {"int8", 1, false},           {"uint8", 1, false},         {"bool", 1, false},           {"float16", 2, true},
     {"bfloat16", 2, true},        {"int16", 2, false},         {"uint16", 2, false},         {"uint32", 4, false},
     {"uint64", 8, false},         {"float8_e4m3fn", 1, true},  {"float8_e4m3fnuz", 1, true}, {"float8_e5m2", 1, true},
     {"float8_e5m2fnuz", 1, true}, {"float8_e8m0fnu", 1, true}, {"float4_e2m1fn", 1, true},   {"int4", 1, false},
     {"uint4", 1, false},          {"int2", 1, false},          {"uint2", 1, false}}};

const DTypeRow& RowOf(DType dtype) {
  const auto number = static_cast<size_t>(dtype);
  if (number >= kDTypes.size()) throw Error(ExitCode::kBug, fmt::format("{} is not a dtype's number", number));
  return kDTypes[number];
}

std::shared_ptr<void> AllocateZeroed(int64_t bytes) {
  constexpr int64_t kAlign = 64;
  // Never empty, because a tensor without elements is still defined.
  const int64_t rounded = std::max(kAlign, (bytes + kAlign - 1) / kAlign * kAlign);
  void* memory = std::aligned_alloc(kAlign, rounded);
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory, 0, rounded);
  return {memory, std::free};
}

// Calls f with a null pointer of the C++ type of a declared dtype. Other dtypes are those of bytes.
template <typename F>
auto WithDeclaredType(DType dtype, F f) {
  using namespace declared;
  if (dtype == kInt16) return f(static_cast<int16_t*>(nullptr));
  if (dtype == kUInt16) return f(static_cast<uint16_t*>(nullptr));
  if (dtype == kUInt32) return f(static_cast<uint32_t*>(nullptr));
  if (dtype == kUInt64) return f(static_cast<uint64_t*>(nullptr));
  if (dtype == kFloat8E4M3FN) return f(static_cast<ByteFloat<kFloat8E4M3FN>*>(nullptr));
  if (dtype == kFloat8E4M3FNUZ) return f(static_cast<ByteFloat<kFloat8E4M3FNUZ>*>(nullptr));
  if (dtype == kFloat8E5M2) return f(static_cast<ByteFloat<kFloat8E5M2>*>(nullptr));
  if (dtype == kFloat8E5M2FNUZ) return f(static_cast<ByteFloat<kFloat8E5M2FNUZ>*>(nullptr));
  if (dtype == kFloat8E8M0FNU) return f(static_cast<ByteFloat<kFloat8E8M0FNU>*>(nullptr));
  if (dtype == kFloat4E2M1FN) return f(static_cast<ByteFloat<kFloat4E2M1FN>*>(nullptr));
  if (dtype == kInt4) return f(static_cast<BitInteger<4, true>*>(nullptr));
  if (dtype == kUInt4) return f(static_cast<BitInteger<4, false>*>(nullptr));
  if (dtype == kInt2) return f(static_cast<BitInteger<2, true>*>(nullptr));
  if (dtype == kUInt2) return f(static_cast<BitInteger<2, false>*>(nullptr));
  return f(static_cast<uint8_t*>(nullptr));
}

// Calls f with a null pointer of the dtype's C++ type.
template <typename F>
auto WithType(DType dtype, F f) {
  switch (dtype) {
    case DType::kFloat32:
      return f(static_cast<float*>(nullptr));
    case DType::kFloat64:
      return f(static_cast<double*>(nullptr));
    case DType::kInt32:
      return f(static_cast<int32_t*>(nullptr));
    case DType::kInt64:
      return f(static_cast<int64_t*>(nullptr));
    case DType::kInt8:
      return f(static_cast<int8_t*>(nullptr));
    case DType::kFloat16:
      return f(static_cast<Float16*>(nullptr));
    case DType::kBFloat16:
      return f(static_cast<BFloat16*>(nullptr));
    case DType::kUInt8:
    case DType::kBool:
      break;
  }
  return WithDeclaredType(dtype, f);
}

uint64_t ElementBits(uint64_t mixed_seed, int64_t i) {
  return MixBits(mixed_seed + 0x9e3779b97f4a7c15ULL * (static_cast<uint64_t>(i) + 1));
}

float RandomValue(Fill fill, uint64_t bits) {
  return fill == Fill::kNormal ? NormalFromBits(bits) : static_cast<float>(bits >> 40) * 0x1.0p-23F - 1.0F;
}

// These types convert only to and from float.
template <typename T>
constexpr bool kSmallFloat = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16> || kIsByteFloat<T>;

// Rounds towards zero. NaN and numbers beyond the range become the least integer, as x86 converts. Results of 8 bits
// are the low bits of the 32-bit result.
template <typename T>
T Truncated(double value) {
  using Wide = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;
  constexpr double kEnd = sizeof(T) == 8 ? 0x1p63 : 0x1p31;
  const double whole = std::trunc(value);
  return static_cast<T>(whole >= -kEnd && whole < kEnd ? static_cast<Wide>(whole) : std::numeric_limits<Wide>::min());
}

template <typename T>
T FromDouble(double value) {
  if constexpr (kSmallFloat<T>) {
    return T(static_cast<float>(value));
  } else if constexpr (kIsBitInteger<T>) {
    return T(Truncated<int32_t>(value));
  } else if constexpr (std::is_integral_v<T>) {
    return Truncated<T>(value);
  } else {
    return static_cast<T>(value);
  }
}

template <typename T>
double ToDouble(T value) {
  if constexpr (kSmallFloat<T>) {
    return static_cast<float>(value);
  } else if constexpr (kIsBitInteger<T>) {
    return static_cast<double>(static_cast<int64_t>(value));
  } else {
    return static_cast<double>(value);
  }
}

// Integers are in (-32, 32) for uniform and in (-111, 111) for normal, so that they fit int8. Unsigned types take
// magnitudes.
template <typename T>
T FromRandom(float value) {
  if constexpr (std::is_floating_point_v<T> || kSmallFloat<T>) {
    return T(value);
  } else {
    const auto scaled = static_cast<int32_t>(value * 32);
    return static_cast<T>(std::is_unsigned_v<T> ? std::abs(scaled) : scaled);
  }
}

template <Fill fill, typename T>
void FillRandom(T* out, int64_t n, uint64_t seed) {
  const uint64_t mixed = MixBits(seed + 0x9e3779b97f4a7c15ULL);
  for (int64_t i = 0; i < n; ++i) out[i] = FromRandom<T>(RandomValue(fill, ElementBits(mixed, i)));
}

template <typename T>
void FillAs(T* out, int64_t n, Fill fill, uint64_t seed) {
  switch (fill) {
    case Fill::kZeros:
      std::fill_n(out, n, FromDouble<T>(0));
      return;
    case Fill::kOnes:
      std::fill_n(out, n, FromDouble<T>(1));
      return;
    case Fill::kRamp:
      for (int64_t i = 0; i < n; ++i) out[i] = FromDouble<T>(static_cast<double>(i) / static_cast<double>(n));
      return;
    case Fill::kNormal:
      FillRandom<Fill::kNormal>(out, n, seed);
      return;
    case Fill::kUniform:
      FillRandom<Fill::kUniform>(out, n, seed);
      return;
  }
}

// Calls f with a null pointer to the integer type that holds the dtype's elements.
template <typename F>
auto WithInteger(DType dtype, F f) {
  return WithType(dtype, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    if constexpr (std::is_integral_v<T> || kIsBitInteger<T>) {
      return f(type);
    } else {
      throw Error(ExitCode::kBug, fmt::format("elements of {} are read as integers", DTypeName(dtype)));
      return f(static_cast<int64_t*>(nullptr));
    }
  });
}

}  // namespace

std::string_view DTypeName(DType dtype) { return RowOf(dtype).name; }

DType ParseDType(std::string_view name) {
  for (size_t i = 0; i < kDTypes.size(); ++i) {
    if (kDTypes[i].name == name) return static_cast<DType>(i);
  }
  throw Error(ExitCode::kBadData, fmt::format("'{}' is not a dtype; right would be float32, int64 and the like", name));
}

int64_t DTypeBytes(DType dtype) { return RowOf(dtype).bytes; }

bool IsFloat(DType dtype) { return RowOf(dtype).is_float; }

int64_t ElementCount(const Shape& shape) {
  int64_t count = 1;
  for (int64_t dim : shape) {
    if (dim < 0 || __builtin_mul_overflow(count, dim, &count)) {
      throw Error(ExitCode::kBadData,
                  fmt::format("shape {} has a negative dimension or too many elements", ShapeText(shape)));
    }
  }
  return count;
}

std::string ShapeText(const Shape& shape) {
  return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, "x"));
}

Shape ParseShape(std::string_view text) {
  Shape shape;
  if (text == "scalar") return shape;
  for (std::string_view part : Split(text, 'x')) {
    const auto dim = ParseInteger(part);
    if (!dim || *dim < 0) throw Error(ExitCode::kBadData, fmt::format("'{}' is not a shape such as 1x64x56x56", text));
    shape.push_back(*dim);
  }
  return shape;
}

Tensor::Tensor(DType dtype, Shape shape) : dtype_(dtype), shape_(std::move(shape)), elements_(ElementCount(shape_)) {
  int64_t bytes = 0;
  if (__builtin_mul_overflow(elements_, DTypeBytes(dtype), &bytes) || bytes > INT64_MAX / 2) {
    throw Error(ExitCode::kBadData, fmt::format("a tensor of shape {} does not fit memory", ShapeText(shape_)));
  }
  storage_ = AllocateZeroed(bytes);
}

Tensor Tensor::Scalar(float value) {
  Tensor scalar(DType::kFloat32, {});
  scalar.data<float>()[0] = value;
  return scalar;
}

Tensor Tensor::As(DType dtype) const {
  if (dtype == dtype_) return *this;
  Tensor converted(dtype, shape_);
  if (IsFloat(dtype) || IsFloat(dtype_)) {
    for (int64_t i = 0; i < elements_; ++i) converted.Set(i, At(i));
  } else {
    for (int64_t i = 0; i < elements_; ++i) SetInteger(converted, i, IntegerAt(*this, i));
  }
  return converted;
}

Tensor Tensor::Clone() const {
  if (!defined()) return {};
  Tensor copy(dtype_, shape_);
  std::memcpy(copy.raw(), raw(), size_bytes());
  return copy;
}

Tensor Tensor::Reshaped(Shape shape) const {
  if (ElementCount(shape) != elements_) {
    throw Error(ExitCode::kBadData,
                fmt::format("a tensor of shape {} cannot be reshaped to {}", ShapeText(shape_), ShapeText(shape)));
  }
  Tensor view = *this;
  view.shape_ = std::move(shape);
  return view;
}

double Tensor::At(int64_t i) const {
  return WithType(dtype_, [&](auto* type) { return ToDouble(data<std::remove_pointer_t<decltype(type)>>()[i]); });
}

void Tensor::Set(int64_t i, double value) {
  if (dtype_ == DType::kBool) value = value != 0 ? 1 : 0;
  WithType(dtype_, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    data<T>()[i] = FromDouble<T>(value);
  });
}

Fill ParseFill(std::string_view name) {
  constexpr std::array<std::string_view, 5> kNames = {"zeros", "ones", "ramp", "random", "uniform"};
  const auto at = std::find(kNames.begin(), kNames.end(), name);
  if (at != kNames.end()) return static_cast<Fill>(at - kNames.begin());
  throw Error(ExitCode::kUsage, fmt::format("'{}' is not a fill; it is one of {}", name, fmt::join(kNames, ", ")));
}

void FillTensor(Tensor& tensor, Fill fill, uint64_t seed) {
  WithType(tensor.dtype(), [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    FillAs(tensor.data<T>(), tensor.elements(), fill, seed);
  });
  // A bool holds 0 or 1, whatever the fill wrote.
  if (tensor.dtype() == DType::kBool) {
    auto* bits = tensor.data<uint8_t>();
    for (int64_t i = 0; i < tensor.elements(); ++i) bits[i] &= 1;
  }
}

int64_t IntegerAt(const Tensor& tensor, int64_t i) {
  return WithInteger(tensor.dtype(), [&](auto* type) {
    return static_cast<int64_t>(tensor.data<std::remove_pointer_t<decltype(type)>>()[i]);
  });
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
    using T = std::remove_pointer_t<decltype(type)>;
    if constexpr (kIsBitInteger<T>) return IntegerRange{T::kLeast, T::kMost};
    using Limits = std::numeric_limits<std::conditional_t<std::is_same_v<T, uint64_t> || kIsBitInteger<T>, int64_t, T>>;
    return IntegerRange{std::is_unsigned_v<T> ? 0 : Limits::min(), Limits::max()};
  });
}

int64_t IntegerBound(double bound, DType dtype) {
  const IntegerRange range = RangeOf(dtype);
  // Near int64's ends the doubles are the ends themselves and the values one beyond.
  if (bound <= static_cast<double>(range.least)) return range.least;
  return bound >= static_cast<double>(range.most) ? range.most : static_cast<int64_t>(bound);
}

}  // namespace hone
