// Tensors in host memory: the values of constants, references and files.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

// The numbers are permanent: packages store them.
enum class DType : uint8_t {
  kFloat32 = 0,
  kFloat64 = 1,
  kInt32 = 2,
  kInt64 = 3,
  kInt8 = 4,
  kUInt8 = 5,
  kBool = 6,
  kFloat16 = 7,
  kBFloat16 = 8
};

// "float32", "int64", ...: numpy's names, which Relay uses too.
std::string_view DTypeName(DType dtype);
// Throws Error(kBadData) naming the text when it is not a dtype's name.
DType ParseDType(std::string_view name);
int64_t DTypeBytes(DType dtype);
// Whether the type has fractions.
bool IsFloat(DType dtype);

using Shape = std::vector<int64_t>;

// The product of the dimensions; 1 for a scalar (empty shape). Throws Error(kBadData) on a negative dimension or
// overflow.
int64_t ElementCount(const Shape& shape);
// "1x64x56x56"; "scalar" for the empty shape.
std::string ShapeText(const Shape& shape);
// The inverse of ShapeText. Throws Error(kBadData) naming the text.
Shape ParseShape(std::string_view text);

// A dense row-major tensor whose memory is 64-byte aligned. Copies share the memory; Clone() does not. Not thread-safe
// while any thread writes.
class Tensor {
 public:
  Tensor() = default;
  // Zero-filled. Throws Error(kBadData) as ElementCount does; std::bad_alloc when memory runs out.
  Tensor(DType dtype, Shape shape);
  template <typename T>
  static Tensor FromVector(DType dtype, Shape shape, const std::vector<T>& values) {
    Tensor t(dtype, std::move(shape));
    for (size_t i = 0; i < values.size(); ++i) t.data<T>()[i] = values[i];
    return t;
  }
  static Tensor Scalar(float value);

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int64_t elements() const { return elements_; }
  int64_t size_bytes() const { return elements_ * DTypeBytes(dtype_); }
  bool defined() const { return storage_ != nullptr; }

  // The caller names the C++ type that matches dtype(): float, double, int32_t, int64_t, int8_t, uint8_t (bool too),
  // Float16, BFloat16 (core/small_floats.h).
  template <typename T>
  T* data() {
    return static_cast<T*>(storage_.get());
  }
  template <typename T>
  const T* data() const {
    return static_cast<const T*>(storage_.get());
  }
  void* raw() { return storage_.get(); }
  const void* raw() const { return storage_.get(); }

  Tensor Clone() const;
  // The values converted to another type as Set converts them. Shares the memory if the type is already `dtype`.
  Tensor As(DType dtype) const;
  // A tensor that shares this memory under another shape. Throws Error(kBadData) unless the number of elements is
  // equal.
  Tensor Reshaped(Shape shape) const;
  // Element i converted to double, whatever the dtype.
  double At(int64_t i) const;
  void Set(int64_t i, double value);

 private:
  DType dtype_ = DType::kFloat32;
  Shape shape_;
  int64_t elements_ = 0;
  std::shared_ptr<void> storage_;
};

// The ways to fill test and tuning inputs. The numbers are permanent: records store them.
enum class Fill : uint8_t {
  kZeros = 0,
  kOnes = 1,
  kRamp = 2,    // i / n for element i of n
  kNormal = 3,  // approximately standard normal (NormalFromBits in core/random.h), from the seed
  kUniform = 4  // uniform in [-1, 1), from the seed
};
// Throws Error(kUsage) on an unknown name: "zeros", "ones", "ramp", "random" (normal), "uniform".
Fill ParseFill(std::string_view name);
// Fills in place. The values depend only on (fill, seed, element index) and are the same on every machine and
// compiler. Integer dtypes take random values times 32, rounded towards zero (magnitudes when unsigned); bools take
// their lowest bit. A ramp is i / n in float64, converted to the dtype.
void FillTensor(Tensor& tensor, Fill fill, uint64_t seed);

// Element `i` of a tensor of integers or bools: a double does not hold every integer beyond 2^53. Throws Error(kBug)
// for floats.
int64_t IntegerAt(const Tensor& tensor, int64_t i);

// Stores the value in the tensor's type: integers wrap, and a bool becomes value != 0. Throws Error(kBug) for floats.
void SetInteger(Tensor& tensor, int64_t i, int64_t value);

// Whether a double holds the element's exact value. Always true for tensors of floats.
bool HeldByDouble(const Tensor& tensor, int64_t i);

// The range of an integer type; 0 and 1 for bool. Throws Error(kBug) for floats.
struct IntegerRange {
  int64_t least = 0, most = 0;
};
IntegerRange RangeOf(DType dtype);

// A bound of any size as a value of the type: rounded towards zero and clamped to the type's range.
int64_t IntegerBound(double bound, DType dtype);

}  // namespace hone
