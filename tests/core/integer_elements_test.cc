#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/tensor.h"

namespace hone {
namespace {

constexpr int64_t kBeyondDouble = (int64_t{1} << 53) + 1;
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

TEST(IntegerElements, HoldWhatADoubleDoesNot) {
  Tensor tensor(DType::kInt64, {2});
  SetInteger(tensor, 1, kBeyondDouble);
  EXPECT_EQ(IntegerAt(tensor, 1), kBeyondDouble);
  EXPECT_FALSE(HeldByDouble(tensor, 1));
  SetInteger(tensor, 1, kMost);
  EXPECT_FALSE(HeldByDouble(tensor, 1));
  SetInteger(tensor, 1, kBeyondDouble - 1);
  EXPECT_TRUE(HeldByDouble(tensor, 1));
}

TEST(IntegerElements, WrapAsTheirTypeDoes) {
  const auto stored = [](DType dtype, int64_t value) {
    Tensor tensor(dtype, {1});
    SetInteger(tensor, 0, value);
    return IntegerAt(tensor, 0);
  };
  EXPECT_EQ(stored(DType::kInt32, (int64_t{1} << 32) + 5), 5);
  EXPECT_EQ(stored(DType::kInt8, 200), -56);
  EXPECT_EQ(stored(DType::kUInt8, -1), 255);
  EXPECT_EQ(stored(DType::kBool, 256), 1);
}

TEST(IntegerElements, BoundsEndWhereTheTypeEnds) {
  EXPECT_EQ(IntegerBound(-2.5, DType::kInt8), -2);
  EXPECT_EQ(IntegerBound(300, DType::kInt8), 127);
  EXPECT_EQ(IntegerBound(-1, DType::kUInt8), 0);
  EXPECT_EQ(IntegerBound(0x1p63, DType::kInt64), kMost);
  EXPECT_EQ(IntegerBound(-INFINITY, DType::kInt32), std::numeric_limits<int32_t>::min());
}

TEST(IntegerElements, DoNotTakeFloats) {
  Tensor tensor(DType::kFloat32, {1});
  EXPECT_THROW(IntegerAt(tensor, 0), Error);
  EXPECT_THROW(SetInteger(tensor, 0, 1), Error);
  EXPECT_TRUE(HeldByDouble(tensor, 0));
}

TEST(TensorAs, ConvertsAsKernelsDo) {
  const auto cast = [](std::vector<float> values, DType to) {
    const Tensor tensor = Tensor::FromVector(DType::kFloat32, {static_cast<int64_t>(values.size())}, values).As(to);
    std::vector<int64_t> result;
    for (int64_t i = 0; i < tensor.elements(); ++i) result.push_back(IntegerAt(tensor, i));
    return result;
  };
  constexpr int64_t kLeast32 = std::numeric_limits<int32_t>::min(), kLeast64 = std::numeric_limits<int64_t>::min();
  using Integers = std::vector<int64_t>;
  EXPECT_EQ(cast({NAN, 3e9F, -3e9F, INFINITY, -1.9F}, DType::kInt32),
            (Integers{kLeast32, kLeast32, kLeast32, kLeast32, -1}));
  EXPECT_EQ(cast({NAN, 1e19F, -1e19F, 3e9F}, DType::kInt64), (Integers{kLeast64, kLeast64, kLeast64, 3000000000}));
  EXPECT_EQ(cast({NAN, 300.5F, -1, 1e10F}, DType::kUInt8), (Integers{0, 44, 255, 0}));
  EXPECT_EQ(cast({1e-40F, -0.0F, NAN, 0.5F}, DType::kBool), (Integers{1, 0, 1, 1}));
}

TEST(TensorAs, WrapsIntegers) {
  const Tensor wide = Tensor::FromVector<int64_t>(DType::kInt64, {2}, {(int64_t{1} << 32) + 5, -1});
  EXPECT_EQ(IntegerAt(wide.As(DType::kInt32), 0), 5);
  EXPECT_EQ(IntegerAt(wide.As(DType::kUInt8), 1), 255);
  EXPECT_EQ(IntegerAt(wide.As(DType::kBool), 0), 1);
}

}  // namespace
}  // namespace hone
