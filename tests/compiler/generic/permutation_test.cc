#include <gtest/gtest.h>

#include "compiler/ops/movement/kernel_permutation.h"
#include "tests/compiler/generic/check_function.h"

namespace hone::testing {
namespace {

using relay::ExprPtr;
using relay::FunctionPtr;
using relay::MakeCall;
using Ints = std::vector<int64_t>;

FunctionPtr Transposed(const Shape& shape, const Ints& axes, DType dtype = DType::kFloat32) {
  const ExprPtr x = Param("x", shape, "", dtype);
  return Function({x}, MakeCall("transpose", {x}, {{"axes", axes}}));
}

FunctionPtr Transformed(const Shape& shape, const std::string& from, const std::string& to) {
  const ExprPtr x = Param("x", shape, from == "NCHW" ? "" : from);
  return Function({x}, MakeCall("layout_transform", {x}, {{"src_layout", from}, {"dst_layout", to}}));
}

TEST(Permutation, OfAMatrixOfAnySize) {
  for (const int64_t rows : {1, 3, 4, 15, 16, 17, 33, 300}) {
    for (const int64_t columns : {1, 2, 7, 16, 23, 64}) CheckFunction(Transposed({rows, columns}, {1, 0}));
  }
}

TEST(Permutation, OfTensorsOfEveryOrder) {
  for (const Ints& axes : {Ints{0, 2, 1}, Ints{1, 0, 2}, Ints{1, 2, 0}, Ints{2, 0, 1}, Ints{2, 1, 0}}) {
    for (const Shape& shape : {Shape{1, 18, 33}, Shape{3, 20, 19}, Shape{40, 5, 1}, Shape{5, 40, 5}}) {
      CheckFunction(Transposed(shape, axes));
    }
  }
  CheckFunction(Transposed({2, 5, 18, 20}, {0, 3, 1, 2}));
  CheckFunction(Transposed({2, 5, 18, 20}, {0, 2, 3, 1}));
}

// Patches of an image, and back: a patch's side is an axis of 2 or 4 and a part of the axis around it.
TEST(Permutation, OfShortAxes) {
  for (const int64_t batch : {1, 3}) {
    CheckFunction(Transposed({batch, 4, 64, 19}, {0, 3, 2, 1}));
    CheckFunction(Transposed({batch, 19, 64, 4}, {0, 3, 2, 1}));
    CheckFunction(Transposed({batch, 64, 2, 16, 33}, {0, 4, 1, 3, 2}));
    CheckFunction(Transposed({batch, 5, 2, 2, 16, 8}, {0, 1, 4, 2, 5, 3}));
    CheckFunction(Transposed({batch, 5, 16, 8, 2, 2}, {0, 3, 5, 1, 2, 4}));
    CheckFunction(Transposed({batch, 20, 11, 3}, {0, 3, 1, 2}));
    CheckFunction(Transposed({batch, 3, 20, 11}, {0, 2, 3, 1}));
  }
  const auto boxes = PermutationOf(*Transposed({1, 4, 64, 19}, {0, 3, 2, 1}));
  ASSERT_TRUE(boxes);
  EXPECT_EQ(boxes->front().around_result.extent, 4);
  EXPECT_EQ(boxes->front().outer.at(0).extent, 16);
}

TEST(Permutation, OfElementsOfEverySize) {
  for (const DType dtype :
       {DType::kInt8, DType::kBool, DType::kFloat16, DType::kInt32, DType::kInt64, DType::kFloat64}) {
    ASSERT_TRUE(PermutationOf(*Transposed({37, 21}, {1, 0}, dtype)));
    CheckFunction(Transposed({37, 21}, {1, 0}, dtype));
    CheckFunction(Transposed({64, 48}, {1, 0}, dtype));
    CheckFunction(Transposed({2, 35, 6, 3}, {0, 3, 1, 2}, dtype));
    CheckFunction(Transposed({2, 3, 35, 6}, {0, 2, 3, 1}, dtype));
  }
}

TEST(Permutation, IntoAndOutOfBlocks) {
  for (const std::string layout : {"NCHW4c", "NCHW8c", "NCHW16c", "NCHW32c"}) {
    for (const Shape& shape : {Shape{1, 64, 9, 7}, Shape{2, 35, 3, 11}, Shape{1, 3, 20, 20}, Shape{3, 40, 1, 50}}) {
      CheckFunction(Transformed(shape, "NCHW", layout));
      CheckFunction(Transformed(shape, layout, "NCHW"));
    }
  }
}

TEST(Permutation, OfAnImageInterleavedByChannelsIntoBlocks) {
  for (const int64_t channels : {3, 32, 35}) {
    const ExprPtr x = Param("x", {2, 9, 7, channels});
    const ExprPtr planes = MakeCall("transpose", {x}, {{"axes", Ints{0, 3, 1, 2}}});
    const relay::Attrs attrs{{"src_layout", std::string("NCHW")}, {"dst_layout", std::string("NCHW16c")}};
    CheckFunction(Function({x}, MakeCall("layout_transform", {planes}, attrs)));
  }
}

TEST(Permutation, JoinsAxesThatLieTogether) {
  const auto boxes = PermutationOf(*Transposed({1, 64, 9, 7}, {0, 2, 3, 1}));
  ASSERT_TRUE(boxes);
  ASSERT_EQ(boxes->size(), 1U);
  const PermutedBox& box = boxes->front();
  EXPECT_TRUE(box.outer.empty());
  EXPECT_EQ(box.source.extent, 63);
  EXPECT_EQ(box.source.to, 64);
  EXPECT_EQ(box.result.extent, 64);
  EXPECT_EQ(box.result.from, 63);
}

TEST(Permutation, HasABoxForTheLastBlock) {
  const auto boxes = PermutationOf(*Transformed({1, 35, 4, 5}, "NCHW", "NCHW16c"));
  ASSERT_TRUE(boxes);
  ASSERT_EQ(boxes->size(), 2U);
  EXPECT_EQ(boxes->front().outer.size(), 1U);
  EXPECT_EQ(boxes->front().known, 16);
  EXPECT_EQ(boxes->back().known, 3);
  EXPECT_EQ(boxes->back().from, 32 * 20);
}

TEST(Permutation, IsNothingElse) {
  EXPECT_FALSE(PermutationOf(*Transposed({4, 5, 64}, {1, 0, 2}))) << "whole rows move";
  const ExprPtr x = Param("x", {8, 20});
  const ExprPtr turned = MakeCall("transpose", {x}, {{"axes", Ints{1, 0}}});
  EXPECT_FALSE(PermutationOf(*Function({x}, MakeCall("exp", {turned}))));
}

}  // namespace
}  // namespace hone::testing
