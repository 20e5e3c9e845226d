// Floats of 8 bits and fewer, against a search through all numbers of the format.
#include "core/byte_floats.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "core/declared_types.h"
#include "core/error.h"

namespace hone {
namespace {

constexpr DType kFormats[] = {declared::kFloat8E4M3FN, declared::kFloat8E4M3FNUZ, declared::kFloat8E5M2,
                              declared::kFloat8E5M2FNUZ, declared::kFloat4E2M1FN};

// The finite numbers of the format from 0 on, by their codes.
std::vector<float> Numbers(const ByteFloatFormat& format) {
  std::vector<float> numbers;
  for (uint32_t code = 0; code <= format.largest(); ++code) {
    numbers.push_back(ByteFloatValue(format, static_cast<uint8_t>(code)));
  }
  return numbers;
}

TEST(ByteFloats, HaveTheNumbersOfTheirFormats) {
  const auto of = [](DType dtype) -> const ByteFloatFormat& { return *FindByteFloat(dtype); };
  EXPECT_EQ(Numbers(of(declared::kFloat8E4M3FN)).back(), 448);
  EXPECT_EQ(Numbers(of(declared::kFloat8E4M3FNUZ)).back(), 240);
  EXPECT_EQ(Numbers(of(declared::kFloat8E5M2)).back(), 57344);
  EXPECT_EQ(Numbers(of(declared::kFloat8E5M2FNUZ)).back(), 57344);
  EXPECT_EQ(Numbers(of(declared::kFloat4E2M1FN)), (std::vector<float>{0, 0.5, 1, 1.5, 2, 3, 4, 6}));
  EXPECT_EQ(Numbers(of(declared::kFloat8E4M3FN))[1], 0x1p-9F);
  EXPECT_EQ(Numbers(of(declared::kFloat8E5M2FNUZ))[1], 0x1p-17F);
  EXPECT_EQ(Numbers(of(declared::kFloat8E8M0FNU))[0], 0x1p-127F);
  EXPECT_EQ(FindByteFloat(DType::kFloat16), nullptr);
}

TEST(ByteFloats, KeepEveryCode) {
  for (const DType dtype : kFormats) {
    const ByteFloatFormat& format = *FindByteFloat(dtype);
    for (uint32_t code = 0; code < 2 * format.sign_bit(); ++code) {
      const float value = ByteFloatValue(format, static_cast<uint8_t>(code));
      if (std::isnan(value)) continue;
      EXPECT_EQ(ByteFloatBits(format, value), code) << DTypeName(dtype);
    }
  }
}

// Each number, the middle to the next one, and their neighbours on both sides.
TEST(ByteFloats, RoundToTheNearestNumberAndTiesToEven) {
  for (const DType dtype : kFormats) {
    const ByteFloatFormat& format = *FindByteFloat(dtype);
    const std::vector<float> numbers = Numbers(format);
    for (uint32_t code = 0; code < format.largest(); ++code) {
      const float below = numbers[code], above = numbers[code + 1], middle = below + (above - below) / 2;
      const uint32_t even = code % 2 == 0 ? code : code + 1;
      EXPECT_EQ(ByteFloatBits(format, middle), even) << DTypeName(dtype) << middle;
      EXPECT_EQ(ByteFloatBits(format, std::nextafter(middle, below)), code);
      EXPECT_EQ(ByteFloatBits(format, std::nextafter(middle, above)), code + 1);
      EXPECT_EQ(ByteFloatBits(format, -std::nextafter(middle, above)), (code + 1) | format.sign_bit());
    }
  }
}

TEST(ByteFloats, AreTheLargestOrInfiniteOrNoNumberBeyondTheLargest) {
  for (const DType dtype : kFormats) {
    const ByteFloatFormat& format = *FindByteFloat(dtype);
    for (const float huge : {1e9F, INFINITY}) {
      EXPECT_EQ(ByteFloatBits(format, huge, {.saturates = true}), format.largest());
      EXPECT_EQ(ByteFloatBits(format, huge), format.beyond()) << DTypeName(dtype);
    }
    const bool has_nan = format.ends != ByteFloatFormat::Ends::kNumbers;
    EXPECT_EQ(std::isnan(ByteFloatValue(format, ByteFloatBits(format, NAN, {.saturates = true}))), has_nan);
  }
  EXPECT_EQ(ByteFloatValue(*FindByteFloat(declared::kFloat8E5M2), 0xfc), -INFINITY);
  EXPECT_EQ(ByteFloatBits(*FindByteFloat(declared::kFloat8E4M3FNUZ), -0.0F), 0);
}

TEST(ByteFloats, OfPowersOfTwoRoundAsAsked) {
  const ByteFloatFormat& format = *FindByteFloat(declared::kFloat8E8M0FNU);
  const auto code = [&](float value, ByteRounding rounding, bool saturates = false) {
    return static_cast<int>(ByteFloatBits(format, value, {saturates, rounding}));
  };
  EXPECT_EQ(code(1.25F, ByteRounding::kUp), 128);
  EXPECT_EQ(code(1.25F, ByteRounding::kDown), 127);
  EXPECT_EQ(code(1.25F, ByteRounding::kNearest), 127);
  EXPECT_EQ(code(1.5F, ByteRounding::kNearest), 128);
  EXPECT_EQ(code(-2, ByteRounding::kUp), 128);
  EXPECT_EQ(code(std::numeric_limits<float>::max(), ByteRounding::kUp), 255);
  EXPECT_EQ(code(std::numeric_limits<float>::max(), ByteRounding::kUp, true), 254);
  EXPECT_EQ(code(INFINITY, ByteRounding::kDown, true), 255);
  EXPECT_THROW(ParseByteRounding("sideways"), Error);
}

// 7 as four bits is 7, and as two it is -1 or 3. High bits of the byte do not count.
TEST(DeclaredIntegers, TakeTheLowBitsOfTheirByte) {
  Tensor tensor(declared::kInt2, {1});
  tensor.data<uint8_t>()[0] = 0xf7;
  EXPECT_EQ(tensor.At(0), -1);
  EXPECT_EQ(IntegerAt(tensor, 0), -1);
  SetInteger(tensor, 0, 6);
  EXPECT_EQ(tensor.At(0), -2);
  EXPECT_EQ(Tensor::FromVector<int32_t>(DType::kInt32, {1}, {-3}).As(declared::kUInt4).At(0), 13);
  EXPECT_EQ(RangeOf(declared::kInt4).least, -8);
  EXPECT_EQ(RangeOf(declared::kUInt2).most, 3);
  EXPECT_EQ(RangeOf(declared::kUInt16).most, 65535);
}

TEST(DeclaredTypes, HaveTheirNames) {
  EXPECT_EQ(DTypeName(declared::kUInt64), "uint64");
  for (const DType dtype : declared::kAll) EXPECT_EQ(ParseDType(DTypeName(dtype)), dtype);
}

}  // namespace
}  // namespace hone
