// Small floats in kernels: each of them, and floats next to them, converted as in core/small_floats.h and
// byte_floats.h.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "core/byte_floats.h"
#include "core/declared_types.h"
#include "core/random.h"
#include "core/small_floats.h"
#include "tests/compiler/generic/check_function.h"
#include "tests/compiler/generic/kernel_runner.h"
#include "tests/support/test_targets.h"

namespace hone::testing {
namespace {

constexpr DType kByteFloats[] = {declared::kFloat8E4M3FN,   declared::kFloat8E4M3FNUZ, declared::kFloat8E5M2,
                                 declared::kFloat8E5M2FNUZ, declared::kFloat8E8M0FNU,  declared::kFloat4E2M1FN};

// Expects a cast to give the same bits on every target; all NaNs count as equal.
void ExpectCasts(const Tensor& from, const Tensor& want, const ByteConversion& by = {}) {
  const auto x = Param("x", from.shape(), "", from.dtype());
  relay::Attrs attrs{{"dtype", std::string(DTypeName(want.dtype()))}};
  if (by.saturates) attrs.Set("saturate", true);
  if (by.rounding != ByteRounding::kNearest) attrs.Set("rounding", by.rounding == ByteRounding::kUp ? "up" : "down");
  const auto cast = relay::MakeCall("cast", {x}, attrs);
  const relay::FunctionPtr function = Function({x}, cast);
  for (const Target& target : TestTargets()) {
    SCOPED_TRACE(target.cpu);
    Random random(1);
    const Tensor got = CompiledFunction(function, target).Run({from}, 0, random)[0];
    ASSERT_EQ(got.elements(), want.elements());
    for (int64_t i = 0; i < want.elements(); ++i) {
      if (std::isnan(want.At(i))) {
        ASSERT_TRUE(std::isnan(got.At(i))) << i;
      } else {
        ASSERT_EQ(got.At(i), want.At(i)) << "of " << from.At(i);
        ASSERT_EQ(std::signbit(got.At(i)), std::signbit(want.At(i))) << i;
      }
    }
  }
}

TEST(HalfCast, EveryHalfIsAFloat) {
  Tensor halves(DType::kFloat16, {1 << 16}), floats(DType::kFloat32, {1 << 16});
  for (int i = 0; i < 1 << 16; ++i) {
    halves.data<Float16>()[i] = Float16::FromBits(static_cast<uint16_t>(i));
    floats.data<float>()[i] = static_cast<float>(halves.data<Float16>()[i]);
  }
  ExpectCasts(halves, floats);
}

// Each half, the midpoint to the next half, and their neighbours on both sides.
TEST(HalfCast, FloatsAreRoundedToTheNearestHalf) {
  std::vector<float> values = {INFINITY, NAN, 65519, 65520, 1e30F, 0x1p-25F, 0x1.000002p-25F, 0x1p-26F};
  for (int i = 0; i < 0x7c00; ++i) {
    const auto half = static_cast<float>(Float16::FromBits(static_cast<uint16_t>(i)));
    const auto next = static_cast<float>(Float16::FromBits(static_cast<uint16_t>(i + 1)));
    const float between = std::isinf(next) ? half : half + (next - half) / 2;
    for (const float v : {half, between}) {
      // Neighbours of zero are left out, because kernels flush float32's denormals to zero.
      for (const int step : {-1, 0, 1}) {
        const float near = std::bit_cast<float>(std::bit_cast<int32_t>(v) + (v == 0 ? 0 : step));
        values.push_back(near);
        values.push_back(-near);
      }
    }
  }
  const auto n = static_cast<int64_t>(values.size());
  const Tensor floats = Tensor::FromVector(DType::kFloat32, {n}, values);
  Tensor halves(DType::kFloat16, {n});
  for (int64_t i = 0; i < n; ++i) halves.data<Float16>()[i] = Float16(values[static_cast<size_t>(i)]);
  ExpectCasts(floats, halves);
}

// The bits of a cast of these elements, the same on every target.
template <typename To, typename From>
std::vector<To> BitsOfCast(DType from, DType to, const std::vector<From>& bits) {
  const auto n = static_cast<int64_t>(bits.size());
  Tensor elements(from, {n});
  std::memcpy(elements.raw(), bits.data(), bits.size() * sizeof(From));
  const auto x = Param("x", {n}, "", from);
  const relay::FunctionPtr function =
      Function({x}, relay::MakeCall("cast", {x}, {{"dtype", std::string(DTypeName(to))}}));
  std::vector<To> first;
  for (const Target& target : TestTargets()) {
    SCOPED_TRACE(target.cpu);
    Random random(1);
    const Tensor got = CompiledFunction(function, target).Run({elements}, 0, random)[0];
    const auto* at = static_cast<const To*>(got.raw());
    const std::vector<To> now(at, at + n);
    if (first.empty()) first = now;
    EXPECT_EQ(now, first);
  }
  return first;
}

TEST(HalfCast, NaNsKeepTheirSignAndFractionAndBecomeQuiet) {
  std::vector<uint16_t> halves, narrowed;
  std::vector<uint32_t> floats, widened;
  for (uint32_t sign : {0U, 0x8000U}) {
    for (uint32_t fraction = 1; fraction < 0x400; ++fraction) {
      halves.push_back(static_cast<uint16_t>(sign | 0x7c00 | fraction));
      widened.push_back(sign << 16 | 0x7fc00000 | fraction << 13);
      floats.push_back(sign << 16 | 0x7f800000 | fraction << 13 | (fraction & 1));
      narrowed.push_back(static_cast<uint16_t>(sign | 0x7e00 | fraction));
    }
    floats.push_back(sign << 16 | 0x7f800001);
    narrowed.push_back(static_cast<uint16_t>(sign | 0x7e00));
  }
  EXPECT_EQ((BitsOfCast<uint32_t>(DType::kFloat16, DType::kFloat32, halves)), widened);
  EXPECT_EQ((BitsOfCast<uint16_t>(DType::kFloat32, DType::kFloat16, floats)), narrowed);
}

// A value that is widened and rounded again is itself, unless it was a signalling NaN.
TEST(HalfCast, EveryHalfComesBack) {
  std::vector<uint16_t> halves(1 << 16);
  for (size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<uint16_t>(i);
  const auto floats = BitsOfCast<uint32_t>(DType::kFloat16, DType::kFloat32, halves);
  for (uint16_t& half : halves) {
    if ((half & 0x7fff) > 0x7c00) half |= 0x200;
  }
  EXPECT_EQ((BitsOfCast<uint16_t>(DType::kFloat32, DType::kFloat16, floats)), halves);
}

TEST(ByteFloatCast, EveryByteIsAFloat) {
  for (const DType dtype : kByteFloats) {
    SCOPED_TRACE(DTypeName(dtype));
    Tensor bytes(dtype, {256}), floats(DType::kFloat32, {256});
    for (int i = 0; i < 256; ++i) {
      bytes.data<uint8_t>()[i] = static_cast<uint8_t>(i);
      floats.data<float>()[i] = static_cast<float>(bytes.At(i));
    }
    ExpectCasts(bytes, floats);
  }
}

// Each number of the format, the middle to the next one, and their neighbours on both sides.
TEST(ByteFloatCast, FloatsAreRoundedAsAsked) {
  for (const DType dtype : kByteFloats) {
    SCOPED_TRACE(DTypeName(dtype));
    const ByteFloatFormat& format = *FindByteFloat(dtype);
    std::vector<float> values = {INFINITY, -INFINITY, NAN, 0, 1e9F, -1e9F, 3e38F, 0x1p-30F};
    for (uint32_t code = 1; code < format.largest() + 2; ++code) {
      const float number = ByteFloatValue(format, static_cast<uint8_t>(code));
      const float next = ByteFloatValue(format, static_cast<uint8_t>(code + 1));
      for (const float v : {number, number + (next - number) / 2}) {
        for (const int step : {-1, 0, 1}) {
          const float near = std::bit_cast<float>(std::bit_cast<int32_t>(v) + step);
          values.push_back(near);
          values.push_back(-near);
        }
      }
    }
    const auto n = static_cast<int64_t>(values.size());
    const Tensor floats = Tensor::FromVector(DType::kFloat32, {n}, values);
    for (const bool saturates : {false, true}) {
      for (const ByteRounding rounding : {ByteRounding::kNearest, ByteRounding::kUp, ByteRounding::kDown}) {
        if (format.fraction_bits > 0 && rounding != ByteRounding::kNearest) continue;
        Tensor bytes(dtype, {n});
        for (int64_t i = 0; i < n; ++i) {
          bytes.data<uint8_t>()[i] = ByteFloatBits(format, values[static_cast<size_t>(i)], {saturates, rounding});
        }
        ExpectCasts(floats, bytes, {saturates, rounding});
      }
    }
  }
}

}  // namespace
}  // namespace hone::testing
