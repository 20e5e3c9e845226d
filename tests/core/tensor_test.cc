#include "core/tensor.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"

namespace hone {
namespace {

TEST(Shape, TextRoundTrips) {
  EXPECT_EQ(ShapeText({1, 64, 56, 56}), "1x64x56x56");
  EXPECT_EQ(ShapeText({}), "scalar");
  EXPECT_EQ(ParseShape("1x64x56x56"), (Shape{1, 64, 56, 56}));
  EXPECT_EQ(ParseShape("scalar"), Shape{});
  for (const char* text : {"", "x", "1x", "-1", "1 x2", "1X2", "99999999999999999999"}) {
    EXPECT_THROW(ParseShape(text), Error) << text;
  }
}

TEST(Shape, CountIsOverflowChecked) {
  EXPECT_EQ(ElementCount({}), 1);
  EXPECT_EQ(ElementCount({3, 0, 5}), 0);
  EXPECT_THROW(ElementCount({-1}), Error);
  EXPECT_THROW(ElementCount({int64_t{1} << 32, int64_t{1} << 32}), Error);
  EXPECT_THROW(Tensor(DType::kFloat64, {int64_t{1} << 61}), Error);
}

TEST(DType, NamesRoundTrip) {
  for (int i = 0; i <= 8; ++i) EXPECT_EQ(ParseDType(DTypeName(static_cast<DType>(i))), static_cast<DType>(i));
  EXPECT_EQ(DTypeBytes(DType::kFloat64), 8);
  EXPECT_EQ(DTypeBytes(DType::kBool), 1);
  EXPECT_THROW(ParseDType("float"), Error);
}

TEST(Tensor, IsZeroedAlignedAndSharedByCopies) {
  Tensor tensor(DType::kFloat32, {3, 5});
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.raw()) % 64, 0U);
  EXPECT_EQ(tensor.At(14), 0);
  Tensor copy = tensor, clone = tensor.Clone();
  copy.Set(2, 7);
  EXPECT_EQ(tensor.At(2), 7);
  EXPECT_EQ(clone.At(2), 0);
  EXPECT_EQ(tensor.Reshaped({15}).At(2), 7);
  EXPECT_THROW(tensor.Reshaped({16}), Error);
}

TEST(Tensor, OfNoElementsIsDefined) {
  EXPECT_FALSE(Tensor().defined());
  EXPECT_TRUE(Tensor(DType::kInt8, {0, 4}).defined());
  EXPECT_EQ(Tensor(DType::kInt8, {0, 4}).size_bytes(), 0);
}

TEST(Tensor, HoldsEveryDType) {
  for (int i = 0; i <= 8; ++i) {
    Tensor tensor(static_cast<DType>(i), {2});
    tensor.Set(1, 1);
    EXPECT_EQ(tensor.At(0), 0);
    EXPECT_EQ(tensor.At(1), 1);
  }
}

TEST(Fill, GivesPermanentValues) {
  Tensor uniform(DType::kFloat32, {4}), normal(DType::kFloat32, {4});
  FillTensor(uniform, Fill::kUniform, 42);
  FillTensor(normal, Fill::kNormal, 42);
  const float expected_uniform[] = {-0.313416243F, 0.911493421F, -0.0273009539F, -0.865284324F};
  const float expected_normal[] = {0.282076687F, 1.76564205F, -0.591428101F, -0.491288632F};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(uniform.data<float>()[i], expected_uniform[i]) << i;
    EXPECT_EQ(normal.data<float>()[i], expected_normal[i]) << i;
  }
}

TEST(Fill, DependsOnTheElementsIndexAloneNotOnTheShape) {
  Tensor small(DType::kFloat32, {10}), large(DType::kFloat32, {10, 100});
  FillTensor(small, Fill::kNormal, 9);
  FillTensor(large, Fill::kNormal, 9);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(small.At(i), large.At(i));
}

TEST(Fill, HasTheMomentsItPromises) {
  constexpr int kCount = 1 << 18;
  for (Fill fill : {Fill::kNormal, Fill::kUniform}) {
    Tensor tensor(DType::kFloat32, {kCount});
    FillTensor(tensor, fill, 1);
    double sum = 0, squares = 0, neighbours = 0;
    for (int i = 0; i < kCount; ++i) {
      sum += tensor.At(i);
      squares += tensor.At(i) * tensor.At(i);
      neighbours += tensor.At(i) * tensor.At(i ^ 1);
    }
    EXPECT_NEAR(sum / kCount, 0, 0.01);
    EXPECT_NEAR(squares / kCount, fill == Fill::kNormal ? 1 : 1.0 / 3, 0.01);
    EXPECT_NEAR(neighbours / kCount, 0, 0.01);
  }
}

TEST(Fill, SeedsGiveDifferentTensors) {
  Tensor a(DType::kFloat32, {64}), b(DType::kFloat32, {64});
  FillTensor(a, Fill::kUniform, 0);
  FillTensor(b, Fill::kUniform, 1);
  int equal = 0;
  for (int i = 0; i < 64; ++i) equal += a.At(i) == b.At(i) || (i > 0 && a.At(i) == b.At(i - 1));
  EXPECT_EQ(equal, 0);
}

TEST(Fill, RampIsIndexOverCount) {
  Tensor ramp(DType::kFloat32, {8});
  FillTensor(ramp, Fill::kRamp, 0);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(ramp.At(i), i / 8.0);
}

TEST(Fill, IntegersAreSmallAndBoolsAreBits) {
  for (DType dtype : {DType::kInt8, DType::kUInt8, DType::kInt64, DType::kBool}) {
    Tensor tensor(dtype, {1000});
    FillTensor(tensor, Fill::kNormal, 3);
    double most = 0;
    for (int i = 0; i < 1000; ++i) most = std::max(most, std::fabs(tensor.At(i)));
    EXPECT_GT(most, 0);
    EXPECT_LE(most, dtype == DType::kBool ? 1 : 111);
  }
}

TEST(Fill, NamesAreChecked) {
  EXPECT_EQ(ParseFill("random"), Fill::kNormal);
  EXPECT_THROW(ParseFill("noise"), Error);
}

}  // namespace
}  // namespace hone
